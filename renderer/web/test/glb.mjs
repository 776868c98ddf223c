/** Reading and writing of the parts of GLB files (glTF 2.0, section 4.4). */

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** The document and the binary chunk of a file. */
export function readGlb( bytes ) {

	const view = new DataView( bytes.buffer, bytes.byteOffset, bytes.byteLength );
	if ( bytes.byteLength < 20 || view.getUint32( 0, true ) !== MAGIC ) throw new Error( 'not a GLB file' );
	const parts = {};
	for ( let at = 12; at + 8 <= bytes.byteLength; ) {

		const size = view.getUint32( at, true );
		parts[ view.getUint32( at + 4, true ) ] = bytes.subarray( at + 8, at + 8 + size );
		at += 8 + size;

	}

	return { json: JSON.parse( new TextDecoder().decode( parts[ JSON_CHUNK ] ) ), binary: parts[ BINARY_CHUNK ] ?? new Uint8Array() };

}

/** A file of a document and a binary chunk. */
export function writeGlb( { json, binary } ) {

	if ( binary.length > 0 ) json.buffers[ 0 ].byteLength = binary.length;
	const padded = ( bytes, fill ) => {

		const whole = new Uint8Array( Math.ceil( bytes.length / 4 ) * 4 ).fill( fill );
		whole.set( bytes );
		return whole;

	};

	const chunks = [ [ JSON_CHUNK, padded( new TextEncoder().encode( JSON.stringify( json ) ), 0x20 ) ] ];
	if ( binary.length > 0 ) chunks.push( [ BINARY_CHUNK, padded( binary, 0 ) ] );
	const total = chunks.reduce( ( sum, [ , bytes ] ) => sum + 8 + bytes.length, 12 );
	const file = new Uint8Array( total );
	const view = new DataView( file.buffer );
	[ MAGIC, 2, total ].forEach( ( value, index ) => view.setUint32( 4 * index, value, true ) );
	let at = 12;
	for ( const [ kind, bytes ] of chunks ) {

		view.setUint32( at, bytes.length, true );
		view.setUint32( at + 4, kind, true );
		file.set( bytes, at + 8 );
		at += 8 + bytes.length;

	}

	return file;

}
