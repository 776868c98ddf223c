/** The viewer in headless Chromium. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAM = process.env.CHROMIUM ?? [ '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome' ].find( existsSync );
/** What Chromium says of its software renderer, and of pictures of cameras that are not there. */
const EXPECTED = /GPU stall|swiftshader|ERR_FILE_NOT_FOUND/i;
const FLAGS = [
	'--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
	'--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/** Whether there is a browser to test with; says so once if not. */
export function hasBrowser() {

	const found = PROGRAM !== undefined && existsSync( PROGRAM );
	if ( ! found ) console.log( 'skipped: there is no chromium (CHROMIUM=path names one)' );
	return found;

}

/** Opens a page of a file and gives it to `use`; everything that it asks of a network or reports as an error is an error. */
export async function withPage( file, use, { width = 1280, height = 720 } = {} ) {

	const { chromium } = await import( 'playwright-core' );
	const profile = mkdtempSync( join( tmpdir(), 'kiln-web-' ) );
	const context = await chromium.launchPersistentContext( profile, {
		executablePath: PROGRAM, headless: true, args: FLAGS, viewport: { width, height }, deviceScaleFactor: 1,
	} );
	const complaints = [];
	try {

		const page = context.pages()[ 0 ] ?? await context.newPage();
		page.setDefaultTimeout( 120_000 );
		page.on( 'pageerror', ( error ) => complaints.push( `error: ${ error.message }` ) );
		page.on( 'console', ( message ) => {

			const text = message.text();
			if ( [ 'error', 'warning' ].includes( message.type() ) && ! EXPECTED.test( text ) ) complaints.push( `${ message.type() }: ${ text }` );

		} );
		page.on( 'request', ( request ) => {

			if ( ! /^(file|blob|data|about):/.test( request.url() ) ) complaints.push( `request: ${ request.url() }` );

		} );
		await page.goto( pathToFileURL( file ).href );
		return { result: await use( page ), complaints };

	} finally {

		await context.close();
		rmSync( profile, { recursive: true, force: true } );

	}

}

/** Linear light of a camera of the viewer: RGBA floats, row 0 on top. */
export async function capture( page, camera, width, height, options = {} ) {

	const text = await page.evaluate( async ( { camera, width, height, options } ) => {

		const { stage, lightmap, procedural, views, lights } = await globalThis.kilnViewer.ready;
		if ( lightmap && options.mode ) await lightmap.setMode( options.mode );
		if ( options.computed !== undefined ) procedural.computed = options.computed;
		if ( lightmap ) lightmap.show = options.show ?? 'material';
		for ( const light of lights ) light.visible = options.lights ?? true;
		const view = views.find( ( one ) => one.name === camera );
		if ( view === undefined ) throw new Error( `no camera ${ camera } among ${ views.map( ( one ) => one.name ) }` );
		const bytes = new Uint8Array( stage.capture( view, width, height, options.frames ).buffer );
		let binary = '';
		for ( let i = 0; i < bytes.length; i += 8192 ) binary += String.fromCharCode( ...bytes.subarray( i, i + 8192 ) );
		return btoa( binary );

	}, { camera, width, height, options } );
	const bytes = Buffer.from( text, 'base64' );
	return new Float32Array( bytes.buffer.slice( bytes.byteOffset, bytes.byteOffset + bytes.length ) );

}
