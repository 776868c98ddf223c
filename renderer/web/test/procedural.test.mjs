/** Materials that the viewer computes, beside a path-traced picture. `KILN` and `KILN_KEEP` as in bakes.test.mjs. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { capture, hasBrowser, withPage } from './browser.mjs';
import { means, readPicture, writePng } from './picture.mjs';

const KILN = process.env.KILN ?? join( dirname( fileURLToPath( import.meta.url ) ), '../../../target/release/kiln' );
const skip = ! hasBrowser() || ( ! existsSync( KILN ) && 'there is no kiln: cargo build --release' );
const DESK = process.env.KILN_KEEP ?? mkdtempSync( join( tmpdir(), 'kiln-procedural-' ) );
mkdirSync( DESK, { recursive: true } );
after( () => process.env.KILN_KEEP ?? rmSync( DESK, { recursive: true, force: true } ) );

// By texture coordinates, in the world, in the space of a turned object, and by the view; and one that reads an attribute.
const SCENE = `
shader squares( output closure color surface = 0 )
{
    surface = color( mod( floor( 24 * u ) + floor( 12 * v ), 2 ) < 0.5 ? 0.8 : 0.1, 0.3 + 0.4 * noise( 3 * P ), 0.2 ) * diffuse( N );
}
shader bands( output closure color surface = 0 )
{
    point q = transform( "object", P );
    surface = ( mod( floor( 14 * q[0] + 4 * q[1] ), 2 ) < 0.5 ? color( 0.8, 0.3, 0.1 ) : color( 0.05, 0.2, 0.7 ) ) * diffuse( N );
}
shader rim( output closure color surface = 0 )
{
    float k = noise( 8 * P );
    surface = mix( color( 0.1, 0.5, 0.2 ), color( 0.8, 0.8, 0.3 ), step( 0.45, abs( dot( N, I ) ) ) * step( 0.5, k ) ) * diffuse( N );
}
shader asking( output closure color surface = 0 )
{
    float k = 0;
    getattribute( "object:random", k );
    surface = mix( 0.2 + 0.1 * k, 0.7, noise( 6 * P ) ) * diffuse( N );
}
film { size = (320, 200); filter = box; }
camera main : perspective { from = (0.6, 2.2, 4.4); to = (0, 0.5, 0); fov = 50; }
light sky : environment { color = 1; }
material floor = squares();
material bar = bands();
material ball = rim();
material asks = asking();
shape floor : rectangle { size = (6, 4); material = floor; transform = rotate((1, 0, 0), -90); }
shape bar : cube { size = (1.2, 0.6, 0.6); material = bar; transform = translate(-1, 0.5, 0.2) * rotate((0.2, 1, 0.4), 35); }
shape ball : sphere { radius = 0.6; material = ball; transform = translate(0.7, 0.6, 0); }
shape plain : cube { size = (0.5, 0.5, 0.5); material = asks; transform = translate(2, 0.25, -0.5); }
`;

function kiln( ...args ) {

	const { status, stderr } = spawnSync( KILN, [ ...args, '--quiet' ], { cwd: DESK, encoding: 'utf8' } );
	assert.equal( status, 0, `kiln ${ args.join( ' ' ) }: ${ stderr }` );

}

/** Pixels of the viewer's pictures along each side of one of the path tracer's. */
const FINER = 3;

/** The root of the mean squared difference where the viewer shows something. */
function difference( pixels, reference ) {

	let [ sum, count ] = [ 0, 0 ];
	for ( let i = 0; i < pixels.length; i += 4 ) {

		if ( pixels[ i + 3 ] < 0.999 ) continue;
		for ( let lane = 0; lane < 3; lane ++, count ++ ) sum += ( pixels[ i + lane ] - reference[ i + lane ] ) ** 2;

	}

	return Math.sqrt( sum / count );

}

/** A picture of a part of the width and height, by means. */
function smaller( pixels, width, height, part ) {

	const result = new Float32Array( 4 * width * height );
	for ( let y = 0; y < height * part; y ++ ) for ( let x = 0; x < width * part; x ++ ) for ( let lane = 0; lane < 4; lane ++ ) {

		const to = 4 * ( Math.floor( y / part ) * width + Math.floor( x / part ) );
		result[ to + lane ] += pixels[ 4 * ( y * width * part + x ) + lane ] / part ** 2;

	}

	return result;

}

test( 'patterns are computed', { skip }, async ( t ) => {

	writeFileSync( join( DESK, 'patterns.kiln' ), SCENE );
	kiln( 'bake', 'patterns.kiln', '-o', 'patterns', '--include', 'both', '--resolution', '128', '--samples', '64', '--textures', '256', '--viewer' );
	kiln( 'render', 'patterns.kiln', '-o', 'patterns.exr', '--spp', '128' );
	const { width, height, pixels: reference } = await readPicture( join( DESK, 'patterns.exr' ) );
	const text = readFileSync( join( DESK, 'patterns/data.js' ), 'utf8' );
	const { shaders } = JSON.parse( text.slice( 'KILN_BAKE = '.length, - 2 ) );
	assert.equal( Object.keys( shaders ).length, 3 );
	const { complaints } = await withPage( join( DESK, 'patterns/index.html' ), async ( page ) => {

		const names = await page.evaluate( async () => ( await globalThis.kilnViewer.ready ).procedural.entries.map( ( { mesh } ) => mesh.name ) );
		assert.deepEqual( names.sort(), [ 'ball', 'bar', 'floor' ] );
		// Programs are run once for each pixel: edges need more.
		const picture = async ( options ) => smaller( await capture( page, 'main', FINER * width, FINER * height, options ), width, height, FINER );
		const [ computed, baked ] = [ await picture( { computed: true } ), await picture( { computed: false } ) ];
		for ( const [ name, pixels ] of Object.entries( { computed, baked, reference } ) ) writePng( join( DESK, `patterns_${ name }.png` ), width, height, pixels );
		const [ ours, theirs ] = [ computed, baked ].map( ( pixels ) => difference( pixels, reference ) );
		const errors = [ computed, baked ].map( ( pixels ) => means( pixels, reference ).error );
		const line = `difference ${ ours.toFixed( 3 ) } computed, ${ theirs.toFixed( 3 ) } baked; mean ${ errors.map( ( error ) => ( 100 * error ).toFixed( 1 ) ) } %`;
		t.diagnostic( line );
		assert.ok( ours < 0.5 * theirs && Math.abs( errors[ 0 ] ) < 0.05, line );

		// Views of the lightmap show no patterns.
		const clay = [ await capture( page, 'main', width, height, { computed: true, show: 'clay' } ), await capture( page, 'main', width, height, { computed: false, show: 'clay' } ) ];
		assert.ok( difference( ...clay ) < 0.01 );

	} );
	assert.deepEqual( complaints, [] );

} );
