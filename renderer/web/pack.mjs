#!/usr/bin/env node
/**
 * Writes the viewer of a bake: `index.html`, `viewer.js` and `data.js` in a folder, which open without a server.
 *
 *     node pack.mjs BAKE_FOLDER -o VIEWER_FOLDER [--title TEXT] [--reference CAMERA=FILE.png] [--camera FILE.json]
 *          [--probes PROBES_FOLDER]
 *
 * `kiln bake --viewer` writes the same. README.md has the format of `data.js`.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname( fileURLToPath( import.meta.url ) );
/** Files of a bake, besides its model, that the viewer can use. */
const USED = /^(irradiance|direction|color|sh_\w+)(\.\d+)?\.exr$|^probes\.json$/;

/**
 * The text of `data.js`.
 *
 * @param {{ title: string, model: Uint8Array, files: Map<string, Uint8Array>, cameras?: Object[], reference?: Map<string, Uint8Array>, shaders?: Object<string, { globals: string[], glsl: string }> }} bake
 */
export function dataOf( { title, model, files, cameras = [], reference = new Map(), shaders = {} } ) {

	const text = ( bytes ) => Buffer.from( bytes ).toString( 'base64' );
	const table = ( map ) => Object.fromEntries( [ ...map ].sort( ( [ a ], [ b ] ) => ( a < b ? - 1 : 1 ) ).map( ( [ name, bytes ] ) => [ name, text( bytes ) ] ) );
	// Keys in the order of the alphabet, as the program writes them.
	const data = { cameras, files: table( files ), model: text( model ), reference: table( reference ), shaders, title };
	return `KILN_BAKE = ${ JSON.stringify( data ) };\n`;

}

/** Writes the viewer to a folder. */
export function writeViewer( folder, bake ) {

	mkdirSync( folder, { recursive: true } );
	for ( const name of [ 'index.html', 'viewer.js' ] ) copyFileSync( join( HERE, 'dist', name ), join( folder, name ) );
	writeFileSync( join( folder, 'data.js' ), dataOf( bake ) );

}

/** The files of a bake that the viewer can use, by name. */
export function filesOf( folder ) {

	const manifest = JSON.parse( readFileSync( join( folder, 'bake.json' ) ) );
	const names = manifest.files.concat( existsSync( join( folder, 'probes.json' ) ) ? [ 'probes.json' ] : [] );
	return new Map( names.filter( ( name ) => USED.test( name ) ).map( ( name ) => [ name, readFileSync( join( folder, name ) ) ] ) );

}

function main() {

	const { values, positionals } = parseArgs( { allowPositionals: true, options: {
		output: { type: 'string', short: 'o' },
		title: { type: 'string' },
		reference: { type: 'string', multiple: true, default: [] },
		camera: { type: 'string', multiple: true, default: [] },
		probes: { type: 'string' },
	} } );
	const [ folder ] = positionals;
	if ( folder === undefined || values.output === undefined ) {

		console.error( 'usage: node pack.mjs BAKE_FOLDER -o VIEWER_FOLDER [--title TEXT] [--reference CAMERA=FILE.png] [--camera FILE.json] [--probes PROBES_FOLDER]' );
		process.exit( 2 );

	}

	const model = [ 'model.glb', 'scene.glb' ].map( ( name ) => join( folder, name ) ).find( existsSync );
	const files = filesOf( folder );
	if ( values.probes ) files.set( 'probes.json', readFileSync( join( values.probes, 'probes.json' ) ) );
	const pairs = values.reference.map( ( pair ) => pair.split( '=' ) );
	writeViewer( values.output, {
		title: values.title ?? basename( resolve( folder ) ),
		model: readFileSync( model ),
		files,
		cameras: values.camera.map( ( file ) => JSON.parse( readFileSync( file ) ) ),
		reference: new Map( pairs.map( ( [ camera, file ] ) => [ camera, readFileSync( file ) ] ) ),
	} );

}

if ( process.argv[ 1 ] && resolve( process.argv[ 1 ] ) === fileURLToPath( import.meta.url ) ) main();
