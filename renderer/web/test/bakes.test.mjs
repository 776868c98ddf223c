/**
 * Bakes in the viewer, beside path-traced pictures of the same cameras. `KILN` names the program, if it is not in
 * `target/release`; `KILN_MODELS` a folder with `shaderball.glb` of MaterialX, if there is one; `KILN_KEEP` a folder that
 * keeps bakes and pictures to look at.
 *
 * Pictures are linear, without tone mapping. Pixels count where the viewer shows a surface, and but for those of the
 * objects that a test leaves out: what light goes through. Materials have their textures, or are computed. FLIP is
 * measured where Python has `flip_evaluator`.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dataOf, filesOf } from '../pack.mjs';
import { capture, hasBrowser, withPage } from './browser.mjs';
import { lookAt } from './camera.mjs';
import { masked, means, readPicture, writePng } from './picture.mjs';

const ROOT = join( dirname( fileURLToPath( import.meta.url ) ), '../../..' );
const KILN = process.env.KILN ?? join( ROOT, 'target/release/kiln' );
const MODELS = process.env.KILN_MODELS;
const skip = ! hasBrowser() || ( ! existsSync( KILN ) && 'there is no kiln: cargo build --release' );
const DESK = process.env.KILN_KEEP ?? mkdtempSync( join( tmpdir(), 'kiln-bakes-' ) );
mkdirSync( DESK, { recursive: true } );
after( () => process.env.KILN_KEEP ?? rmSync( DESK, { recursive: true, force: true } ) );

function kiln( ...args ) {

	const { status, stderr } = spawnSync( KILN, [ ...args, '--quiet' ], { cwd: DESK, encoding: 'utf8' } );
	assert.equal( status, 0, `kiln ${ args.join( ' ' ) }: ${ stderr }` );

}

/** The mean of FLIP of two PNG files, or null where it cannot be measured. */
function flip( picture, reference ) {

	const script = 'import sys, flip_evaluator; print(flip_evaluator.evaluate(sys.argv[1], sys.argv[2], "LDR")[1])';
	const { status, stdout } = spawnSync( 'python3', [ '-c', script, reference, picture ], { encoding: 'utf8' } );
	return status === 0 ? Number( stdout ) : null;

}

/**
 * Bakes, renders and compares, in all modes from the first camera, and in the best from a second.
 *
 * @param {{ name: string, scene: string, bake: string[], render: string[], without?: string[], camera?: Object, second?: { camera: Object, set: string[] }, computed?: boolean[], meanError?: number, flipError?: number }} options
 * `computed`: whether materials are also those that are computed
 */
async function compare( { name, scene, bake, render, without = [], camera, second, computed = [ false ], meanError = 0.03, flipError = 0.1 } ) {

	const folder = join( DESK, name );
	kiln( 'bake', scene, '-o', folder, '--order', '2', '--viewer', ...bake );
	const views = [ { view: 'main', set: [], modes: [ 'irradiance', 'directional', 'sh1', 'sh2' ] }, ...( second ? [ { view: 'second', set: second.set, modes: [ 'sh2' ] } ] : [] ) ];
	for ( const { view, set } of views ) kiln( 'render', scene, '-o', join( DESK, `${ name }_${ view }.exr` ), ...render, ...set );
	if ( camera ?? second ) addCamera( folder, camera ?? second.camera );
	const lines = [];
	const { complaints } = await withPage( join( folder, 'index.html' ), async ( page ) => {

		const hide = ( visible ) => page.evaluate( async ( { without, visible } ) => {

			const { gltf } = await globalThis.kilnViewer.ready;
			gltf.scene.traverse( ( node ) => without.includes( node.userData.name ) && ( node.visible = visible ) );

		}, { without, visible } );
		for ( const { view, modes } of views ) {

			const reference = await readPicture( join( DESK, `${ name }_${ view }.exr` ) );
			const { width, height } = reference;
			const looks = modes.flatMap( ( mode ) => computed.map( ( runs ) => ( { mode, computed: runs } ) ) ).filter( ( look ) => look.mode === 'sh2' || ! look.computed );
			for ( const look of looks ) {

				const pixels = await capture( page, view, width, height, look );
				await hide( false );
				const rest = await capture( page, view, width, height, look );
				await hide( true );
				const use = ( i ) => [ 0, 1, 2, 3 ].every( ( lane ) => pixels[ 4 * i + lane ] === rest[ 4 * i + lane ] );
				const { error, share } = means( pixels, reference.pixels, use );
				const title = `${ view } ${ look.mode }${ look.computed ? ' computed' : '' }`;
				const files = [ title.replaceAll( ' ', '_' ), `${ view }_reference` ].map( ( file ) => join( folder, `${ file }.png` ) );
				writePng( files[ 0 ], width, height, masked( pixels, reference.pixels, use ) );
				writePng( files[ 1 ], width, height, reference.pixels );
				const difference = flip( ...files );
				lines.push( `${ name } ${ title }: mean ${ ( 100 * error ).toFixed( 1 ) } %, FLIP ${ difference?.toFixed( 3 ) ?? 'not measured' }, ${ Math.round( 100 * share ) } % of pixels` );
				assert.ok( Math.abs( error ) < meanError, lines.at( - 1 ) );
				assert.ok( difference === null || difference < flipError, lines.at( - 1 ) );

			}

		}

		await page.waitForTimeout( 300 );
		await page.screenshot( { path: join( folder, 'page.png' ) } );

	} );
	assert.deepEqual( complaints, [] );
	return lines.join( '\n' );

}

/** Adds a camera to the data of a viewer. */
function addCamera( folder, camera ) {

	const path = join( folder, 'data.js' );
	const data = JSON.parse( readFileSync( path, 'utf8' ).slice( 'KILN_BAKE = '.length, - 2 ) );
	data.cameras = [ camera ];
	writeFileSync( path, `KILN_BAKE = ${ JSON.stringify( data ) };\n` );

}

const say = ( t, text ) => text.split( '\n' ).forEach( ( line ) => t.diagnostic( line ) );
const cornell = join( ROOT, 'scenes/cornell_box.kiln' );
const SMALL = [ '--resolution', '256', '--samples', '128', '--denoise' ];

test( 'the Cornell box, all light baked', { skip }, async ( t ) => {

	say( t, await compare( { name: 'cornell', scene: cornell, bake: [ '--include', 'both', ...SMALL ], render: [ '--spp', '256' ] } ) );
	const folder = join( DESK, 'cornell' );
	const packed = dataOf( { title: 'cornell_box', model: readFileSync( join( folder, 'model.glb' ) ), files: filesOf( folder ) } );
	assert.ok( packed === readFileSync( join( folder, 'data.js' ), 'utf8' ), 'pack.mjs and kiln write different data' );

} );

test( 'the Cornell box, direct light in real time', { skip }, async ( t ) => {

	// A single real-time light has hard shadows.
	say( t, await compare( { name: 'cornell_indirect', scene: cornell, bake: [ '--layout', 'packed', ...SMALL ], render: [ '--spp', '256' ], meanError: 0.05, flipError: 0.12 } ) );

} );

test( 'the room, from two cameras', { skip }, async ( t ) => {

	const [ from, to ] = [ [ - 1.6, 1.7, 2.6 ], [ 1.2, 0.7, - 1.6 ] ];
	say( t, await compare( {
		name: 'room', scene: join( ROOT, 'scenes/room.kiln' ),
		bake: [ '--include', 'both', '--resolution', '512', '--denoise' ],
		// Pixels of three.js are boxes.
		render: [ '--spp', '128', '--set', 'film.filter=box' ], without: [ 'ball', 'shade', 'bulb', 'bowl.bowl' ], computed: [ false, true ],
		second: { camera: lookAt( 'second', from, to, 62, 1.5 ), set: [ '--set', `camera.main.from=(${ from })`, '--set', `camera.main.to=(${ to })` ] },
	} ) );

} );

test( 'a model from elsewhere', { skip: skip || ( MODELS === undefined && 'KILN_MODELS is not set' ) }, async ( t ) => {

	const [ from, to ] = [ [ 1.5, 2.2, 4 ], [ 0, 0.9, 0 ] ];
	const place = [ 'size=(480, 320)', `from=(${ from })`, `to=(${ to })`, 'fov=40', 'fov_axis=x' ];
	const set = place.flatMap( ( value, index ) => [ '--set', `${ index === 0 ? 'film' : 'camera.view' }.${ value }` ] );
	say( t, await compare( {
		name: 'shaderball', scene: join( MODELS, 'shaderball.glb' ), bake: [ '--include', 'both', '--resolution', '512', '--samples', '64', '--denoise' ],
		render: [ '--spp', '64', ...set ], camera: lookAt( 'main', from, to, 40, 1.5 ),
	} ) );

} );
