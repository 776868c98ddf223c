/** Pictures of linear light: reading, measures of difference, and PNG files to look at. */

import { readFileSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { readExr } from '../lib/exr.js';

/** The bits of a half as a number. */
export function ofHalf( bits ) {

	const exponent = ( bits >> 10 ) & 31;
	const part = bits & 1023;
	const value = exponent === 0 ? part * 2 ** - 24 : exponent === 31 ? ( part ? NaN : Infinity ) : 2 ** ( exponent - 15 ) * ( 1 + part / 1024 );
	return bits & 0x8000 ? - value : value;

}

/** An EXR file as RGBA floats, row 0 on top. */
export async function readPicture( path ) {

	const bytes = readFileSync( path );
	const { width, height, channels } = await readExr( bytes.buffer.slice( bytes.byteOffset, bytes.byteOffset + bytes.length ) );
	const pixels = new Float32Array( 4 * width * height ).fill( 1 );
	[ 'R', 'G', 'B', 'A' ].forEach( ( name, lane ) => {

		const values = channels[ name ];
		if ( values === undefined ) return;
		const of = values instanceof Uint16Array ? ofHalf : ( v ) => v;
		for ( let i = 0; i < width * height; i ++ ) pixels[ 4 * i + lane ] = of( values[ i ] );

	} );
	return { width, height, pixels };

}

/** The means of both over the pixels where `pixels` has something, and the relative error of the mean luminance. */
export function means( pixels, reference, use = () => true ) {

	const sums = [ [ 0, 0, 0 ], [ 0, 0, 0 ] ];
	let count = 0;
	for ( let i = 0; i < pixels.length; i += 4 ) {

		if ( pixels[ i + 3 ] < 0.999 || ! use( i / 4 ) ) continue;
		count ++;
		for ( let lane = 0; lane < 3; lane ++ ) {

			sums[ 0 ][ lane ] += pixels[ i + lane ];
			sums[ 1 ][ lane ] += reference[ i + lane ];

		}

	}

	const [ ours, theirs ] = sums.map( ( sum ) => sum.map( ( v ) => v / count ) );
	const luminance = ( [ r, g, b ] ) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
	return { ours, theirs, error: luminance( ours ) / luminance( theirs ) - 1, share: 4 * count / pixels.length };

}

/** A copy in which pixels without anything in `pixels` have the reference's value, so that they do not count. */
export function masked( pixels, reference, use = () => true ) {

	const copy = Float32Array.from( pixels );
	for ( let i = 0; i < copy.length; i += 4 ) {

		if ( pixels[ i + 3 ] < 0.999 || ! use( i / 4 ) ) copy.set( reference.subarray( i, i + 4 ), i );

	}

	return copy;

}

export function srgb( v ) {

	const c = Math.min( Math.max( v, 0 ), 1 );
	return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** ( 1 / 2.4 ) - 0.055;

}

/** Writes a picture as an 8-bit PNG file in sRGB. */
export function writePng( path, width, height, pixels ) {

	writeFileSync( path, pngOf( width, height, ( at ) => [ 0, 1, 2 ].map( ( lane ) => Math.round( 255 * srgb( pixels[ 4 * at + lane ] ) ) ) ) );

}

/** The bytes of a PNG file; `bytes` gives red, green and blue of a pixel. */
export function pngOf( width, height, bytes ) {

	const rows = Buffer.alloc( height * ( 1 + 3 * width ) );
	for ( let y = 0; y < height; y ++ ) for ( let x = 0; x < width; x ++ ) rows.set( bytes( y * width + x ), y * ( 1 + 3 * width ) + 1 + 3 * x );
	const chunk = ( kind, data ) => {

		const body = Buffer.concat( [ Buffer.from( kind, 'latin1' ), data ] );
		const whole = Buffer.alloc( body.length + 8 );
		whole.writeUInt32BE( data.length, 0 );
		body.copy( whole, 4 );
		whole.writeUInt32BE( checksum( body ), body.length + 4 );
		return whole;

	};

	const header = Buffer.alloc( 13 );
	header.writeUInt32BE( width, 0 );
	header.writeUInt32BE( height, 4 );
	header.set( [ 8, 2, 0, 0, 0 ], 8 );
	const signature = Buffer.from( [ 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a ] );
	return Buffer.concat( [ signature, chunk( 'IHDR', header ), chunk( 'IDAT', deflateSync( rows ) ), chunk( 'IEND', Buffer.alloc( 0 ) ) ] );

}

/** CRC-32 of ISO 3309, which node has only since version 22. */
function checksum( bytes ) {

	let value = ~ 0;
	for ( const byte of bytes ) {

		value ^= byte;
		for ( let bit = 0; bit < 8; bit ++ ) value = ( value >>> 1 ) ^ ( value & 1 ? 0xedb88320 : 0 );

	}

	return ~ value >>> 0;

}
