/**
 * Programs of materials in the browser beside the interpreter: what `data.js` holds for the materials of scenes, run by
 * Chromium on a grid, and the closures that `kiln shade` prints at the same points. `KILN` names the program, if it is
 * not in `target/release`.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasBrowser } from './browser.mjs';
import { parseClosure, surfaceOf } from './closure.mjs';
import { readGlb } from './glb.mjs';

const ROOT = join( dirname( fileURLToPath( import.meta.url ) ), '../../..' );
const KILN = process.env.KILN ?? join( ROOT, 'target/release/kiln' );
const skip = ! hasBrowser() || ( ! existsSync( KILN ) && 'there is no kiln: cargo build --release' );
const SIZE = 64;
const LIMIT = 1e-3;
const desk = mkdtempSync( join( tmpdir(), 'kiln-materials-' ) );
after( () => rmSync( desk, { recursive: true, force: true } ) );

/** The cosine at which programs are seen; `kiln shade` has no viewer: where a pattern asks for I, it gets zero. */
const COSINE = 0.8;
/** Materials that vary over a shape, with their groups and what the scene sets of these. */
const SCENES = {
	room: { floor: { group: 'planks' }, back: { group: 'brick_wall' }, vase: { group: 'glazed' } },
	material_ball: {
		shell: { group: 'gilded_marble', set: [ 'scale', '1.6' ] },
		core: { group: 'weathered_paint', set: [ 'wear', '0.42' ], cosine: 0 },
		ground: { group: 'stone_floor', set: [ 'scale', '20' ] },
	},
};

function run( program, ...args ) {

	const { status, stdout, stderr } = spawnSync( program, args, { cwd: desk, encoding: 'utf8', maxBuffer: 1 << 28 } );
	assert.equal( status, 0, `${ program } ${ args.join( ' ' ) }: ${ stderr }` );
	return stdout;

}

/** The programs of a bake by names of materials. */
function programsOf( folder ) {

	const data = JSON.parse( readFileSync( join( folder, 'data.js' ), 'utf8' ).slice( 'KILN_BAKE = '.length, - 2 ) );
	const { materials } = readGlb( Buffer.from( data.model, 'base64' ) ).json;
	return Object.fromEntries( Object.entries( data.shaders ).map( ( [ index, { glsl } ] ) => [ materials[ index ].name, glsl ] ) );

}

/** Surfaces of programs, each seen at its cosine, at all points of the grid that `kiln shade --center` has, run by Chromium. */
function inBrowser( programs ) {

	const jobs = programs.map( ( { glsl, cosine } ) => ( {
		glsl, uniforms: [], surface: true, size: [ SIZE, SIZE ], center: true, scale: [ 1, 1 ], offset: [ 0, 0 ], known: { I: `vec3( 0.0, 0.0, float( - ${ cosine } ) )` },
	} ) );
	writeFileSync( join( desk, 'jobs.json' ), JSON.stringify( jobs ) );
	run( process.execPath, join( ROOT, 'tests/raster/browser.mjs' ), '--run', 'jobs.json', 'results.json' );
	return JSON.parse( readFileSync( join( desk, 'results.json' ), 'utf8' ) ).map( ( { points, error } ) => {

		assert.equal( error, undefined );
		return points.map( ( numbers ) => {

			const v = numbers.map( Number );
			return { albedo: v.slice( 0, 3 ), normal: v.slice( 3, 6 ), roughness: v[ 6 ], metalness: v[ 7 ] };

		} );

	} );

}

/** Closures of a group at the same points. */
function closuresOf( scene, { group, set } ) {

	const params = set ? [ '--param', ...set ] : [];
	const text = run( KILN, 'shade', `${ join( ROOT, 'scenes', scene ) }.kiln:${ group }`, ...params, '--interpret', '-g', SIZE, SIZE, '--center', '--print', '-o', 'surface', 'null' );
	// A sum goes on in the next line.
	return text.split( /^Pixel.*$/m ).slice( 1 ).map( ( point ) => parseClosure( point.slice( point.indexOf( ':' ) + 1 ) ) );

}

/** The largest difference of a quantity between two lists of surfaces. */
const largest = ( ours, theirs, name ) => ours.reduce( ( most, one, at ) => Math.max( most, ...[ one[ name ] ].flat().map( ( v, lane ) => Math.abs( v - [ theirs[ at ][ name ] ].flat()[ lane ] ) ) ), 0 );

for ( const [ scene, materials ] of Object.entries( SCENES ) ) test( `materials of ${ scene }`, { skip }, ( t ) => {

	run( KILN, 'bake', join( ROOT, `scenes/${ scene }.kiln` ), '-o', scene, '--include', 'direct', '--resolution', '128', '--samples', '1', '--textures', '8', '--viewer', '--quiet' );
	const programs = programsOf( join( desk, scene ) );
	assert.deepEqual( Object.keys( programs ).sort(), Object.keys( materials ).sort() );
	const entries = Object.entries( materials ).map( ( [ name, material ] ) => ( { name, glsl: programs[ name ], cosine: COSINE, ...material } ) );
	inBrowser( entries ).forEach( ( surfaces, index ) => {

		const { name, cosine, ...material } = entries[ index ];
		const expected = closuresOf( scene, material ).map( ( closure ) => surfaceOf( closure, cosine, [ 0, 0, 1 ] ) );
		assert.equal( expected.length, SIZE * SIZE );
		const errors = [ 'albedo', 'metalness', 'roughness', 'normal' ].map( ( quantity ) => [ quantity, largest( surfaces, expected, quantity ) ] );
		const line = `${ name }: ${ errors.map( ( [ quantity, error ] ) => `${ quantity } ${ error.toExponential( 1 ) }` ).join( ', ' ) }`;
		t.diagnostic( line );
		assert.ok( errors.every( ( [ , error ] ) => error < LIMIT ), line );

	} );

} );
