/**
 * Reader of OpenEXR images as Kiln writes them: scan lines, uncompressed or ZIP, half or 32-bit floats, channels of any
 * name. Row 0 is on top, as in the file.
 *
 * three.js's `EXRLoader` reads more compressions, but only channels called R, G, B, A and Y, and it turns images upside
 * down. `KilnLightmap` takes one as an option for files that other programs have compressed again.
 */

const MAGIC = 20000630;
const COMPRESSION = [ 'none', 'RLE', 'ZIPS', 'ZIP', 'PIZ', 'PXR24', 'B44', 'B44A', 'DWAA', 'DWAB' ];
/** Rows of a block, by number of the compression. */
const ROWS = { 0: 1, 2: 1, 3: 16 };
/** Sizes of the types of channels: unsigned integer, half, float. */
const SIZES = [ 4, 2, 4 ];

/** The image needs a compression that this reader does not have. */
export class UnsupportedExr extends Error {}

/**
 * Reads an image.
 *
 * @param {ArrayBuffer} buffer
 * @returns {Promise<{ width: number, height: number, channels: Object<string, Uint16Array|Float32Array> }>} the bits of
 * halves are in a `Uint16Array`
 */
export async function readExr( buffer ) {

	const { attributes, end } = readHeader( buffer );
	const compression = attributes.compression;
	const rows = ROWS[ compression ];
	if ( rows === undefined ) {

		const name = COMPRESSION[ compression ] ?? `number ${ compression }`;
		throw new UnsupportedExr( `compression ${ name } needs the option exrLoader: new EXRLoader()` );

	}

	const [ left, top, right, bottom ] = attributes.dataWindow;
	const width = right - left + 1;
	const height = bottom - top + 1;
	const list = attributes.channels;
	const stride = list.reduce( ( sum, channel ) => sum + SIZES[ channel.type ] * width, 0 );
	const channels = {};
	for ( const { name, type } of list ) {

		if ( type === 0 ) throw new UnsupportedExr( `channel ${ name } holds integers` );
		channels[ name ] = type === 1 ? new Uint16Array( width * height ) : new Float32Array( width * height );

	}

	const view = new DataView( buffer );
	const blocks = Math.ceil( height / rows );
	await Promise.all( Array.from( { length: blocks }, async ( _, block ) => {

		const at = Number( view.getBigUint64( end + 8 * block, true ) );
		const first = view.getInt32( at, true ) - top;
		const size = view.getInt32( at + 4, true );
		const count = Math.min( rows, height - first );
		const packed = new Uint8Array( buffer, at + 8, size );
		// A block that would not shrink is stored as it is.
		const plain = size === count * stride ? packed : unshuffle( await inflate( packed ) );
		scatter( plain, list, channels, width, first, count );

	} ) );
	return { width, height, channels };

}

function readHeader( buffer ) {

	const view = new DataView( buffer );
	if ( buffer.byteLength < 8 || view.getUint32( 0, true ) !== MAGIC ) throw new Error( 'not an OpenEXR image' );
	// Bits 9, 11, 12: tiles, deep data, several parts.
	if ( view.getUint32( 4, true ) & 0x1a00 ) throw new UnsupportedExr( 'the image is tiled, deep, or has several parts' );
	const attributes = {};
	let at = 8;
	const text = () => {

		const begin = at;
		while ( view.getUint8( at ) !== 0 ) at ++;
		const bytes = new Uint8Array( buffer, begin, at - begin );
		at ++;
		return new TextDecoder().decode( bytes );

	};

	for ( let name = text(); name !== ''; name = text() ) {

		text(); // its type
		const size = view.getInt32( at, true );
		at += 4;
		const next = at + size;
		if ( name === 'compression' ) attributes[ name ] = view.getUint8( at );
		if ( name === 'dataWindow' ) attributes[ name ] = [ 0, 4, 8, 12 ].map( ( o ) => view.getInt32( at + o, true ) );
		if ( name === 'channels' ) {

			const list = attributes[ name ] = [];
			for ( let channel = text(); channel !== ''; channel = text() ) {

				list.push( { name: channel, type: view.getInt32( at, true ) } );
				at += 16;

			}

		}

		at = next;

	}

	return { attributes, end: at };

}

async function inflate( bytes ) {

	const stream = new Blob( [ bytes ] ).stream().pipeThrough( new DecompressionStream( 'deflate' ) );
	return new Uint8Array( await new Response( stream ).arrayBuffer() );

}

/** Undoes what makes bytes easy to compress: differences of neighbours, then even bytes before odd ones. */
function unshuffle( bytes ) {

	for ( let i = 1; i < bytes.length; i ++ ) bytes[ i ] = bytes[ i - 1 ] + bytes[ i ] - 128;
	const plain = new Uint8Array( bytes.length );
	const half = ( bytes.length + 1 ) >> 1;
	for ( let i = 0; i < bytes.length; i ++ ) plain[ i ] = bytes[ ( i >> 1 ) + ( i & 1 ? half : 0 ) ];
	return plain;

}

/** Copies a block, in which each row has one channel after the other, to the channels. */
function scatter( bytes, list, channels, width, first, count ) {

	let at = 0;
	for ( let row = first; row < first + count; row ++ ) {

		for ( const { name, type } of list ) {

			const size = SIZES[ type ] * width;
			const part = bytes.slice( at, at + size ).buffer;
			const values = type === 1 ? new Uint16Array( part ) : new Float32Array( part );
			channels[ name ].set( values, row * width );
			at += size;

		}

	}

}
