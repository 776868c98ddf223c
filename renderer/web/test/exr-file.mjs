/** Writes small EXR files for tests: scan lines, ZIP or uncompressed, floats of 16 or 32 bits. */

import { deflateSync } from 'node:zlib';

/** The bits of the half nearest to a number that halves hold. */
export function toHalf( value ) {

	const bits = new Uint32Array( Float32Array.of( value ).buffer )[ 0 ];
	const sign = ( bits >>> 16 ) & 0x8000;
	const exponent = ( ( bits >>> 23 ) & 255 ) - 112;
	if ( exponent <= 0 ) return sign | Math.round( Math.abs( value ) * 2 ** 24 );
	return sign | ( ( exponent << 10 ) + ( ( bits & 0x7fffff ) + 0x1000 >> 13 ) );

}

/**
 * @param {Object<string, (x: number, y: number) => number>} channels values by name; row 0 is on top
 * @param {{ half?: boolean, zip?: boolean }} options
 */
export function exrOf( width, height, channels, { half = true, zip = true } = {} ) {

	const names = Object.keys( channels ).sort();
	const rows = zip ? 16 : 1;
	const int = ( ...values ) => Buffer.from( Int32Array.from( values ).buffer );
	const text = ( value ) => Buffer.from( `${ value }\0`, 'latin1' );
	const attribute = ( name, type, data ) => Buffer.concat( [ text( name ), text( type ), int( data.length ), data ] );
	const header = Buffer.concat( [
		int( 20000630, 2 ),
		attribute( 'channels', 'chlist', Buffer.concat( [ ...names.map( ( name ) => Buffer.concat( [ text( name ), int( half ? 1 : 2, 0, 1, 1 ) ] ) ), Buffer.of( 0 ) ] ) ),
		attribute( 'compression', 'compression', Buffer.of( zip ? 3 : 0 ) ),
		attribute( 'dataWindow', 'box2i', int( 0, 0, width - 1, height - 1 ) ),
		attribute( 'displayWindow', 'box2i', int( 0, 0, width - 1, height - 1 ) ),
		attribute( 'lineOrder', 'lineOrder', Buffer.of( 0 ) ),
		Buffer.of( 0 ),
	] );
	const blocks = [];
	for ( let top = 0; top < height; top += rows ) {

		const lines = [];
		for ( let y = top; y < Math.min( top + rows, height ); y ++ ) for ( const name of names ) {

			const values = Array.from( { length: width }, ( _, x ) => channels[ name ]( x, y ) );
			lines.push( Buffer.from( ( half ? Uint16Array.from( values, toHalf ) : Float32Array.from( values ) ).buffer ) );

		}

		const plain = Buffer.concat( lines );
		const packed = zip ? deflateSync( shuffled( plain ) ) : plain;
		const data = packed.length < plain.length ? packed : plain;
		blocks.push( Buffer.concat( [ int( top, data.length ), data ] ) );

	}

	const offsets = Buffer.alloc( 8 * blocks.length );
	let at = header.length + offsets.length;
	blocks.forEach( ( block, index ) => {

		offsets.writeBigUInt64LE( BigInt( at ), 8 * index );
		at += block.length;

	} );
	return Buffer.concat( [ header, offsets, ...blocks ] );

}

function shuffled( plain ) {

	const half = ( plain.length + 1 ) >> 1;
	const parted = Buffer.alloc( plain.length );
	for ( let i = 0; i < plain.length; i ++ ) parted[ ( i >> 1 ) + ( i & 1 ? half : 0 ) ] = plain[ i ];
	const differences = Buffer.from( parted );
	for ( let i = 1; i < parted.length; i ++ ) differences[ i ] = parted[ i ] - parted[ i - 1 ] + 128;
	return differences;

}
