/** The reader of EXR images. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExr, UnsupportedExr } from '../lib/exr.js';
import { exrOf } from './exr-file.mjs';
import { ofHalf } from './picture.mjs';

const buffer = ( bytes ) => bytes.buffer.slice( bytes.byteOffset, bytes.byteOffset + bytes.length );

test( 'all that Kiln writes is read, row 0 on top', async () => {

	const [ width, height ] = [ 37, 41 ];
	const channels = { L00: ( x, y ) => x + 0.25 * y, R: ( x, y ) => - y, A: ( x ) => 1 / 1024 * x };
	for ( const half of [ true, false ] ) for ( const zip of [ true, false ] ) {

		const image = await readExr( buffer( exrOf( width, height, channels, { half, zip } ) ) );
		assert.deepEqual( [ image.width, image.height, Object.keys( image.channels ) ], [ width, height, [ 'A', 'L00', 'R' ] ] );
		for ( const [ name, value ] of Object.entries( channels ) ) for ( const [ x, y ] of [ [ 0, 0 ], [ 36, 0 ], [ 5, 17 ], [ 36, 40 ] ] ) {

			const stored = image.channels[ name ][ y * width + x ];
			assert.equal( half ? ofHalf( stored ) : stored, Math.fround( value( x, y ) ), `${ name } ${ x } ${ y } ${ half } ${ zip }` );

		}

	}

} );

test( 'other compressions are told by name', async () => {

	const bytes = exrOf( 2, 2, { R: () => 1 }, { zip: false } );
	bytes[ bytes.indexOf( 'compression\0compression\0' ) + 24 + 4 ] = 4;
	await assert.rejects( readExr( buffer( bytes ) ), ( error ) => error instanceof UnsupportedExr && /PIZ/.test( error.message ) );
	await assert.rejects( readExr( new ArrayBuffer( 40 ) ), /not an OpenEXR/ );

} );
