/** Bundles the viewer with three.js: `dist/viewer.js` and `dist/index.html`, the same bytes for the same packages. */

import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname( fileURLToPath( import.meta.url ) );
const at = ( ...path ) => join( HERE, ...path );

const { version } = JSON.parse( readFileSync( at( 'node_modules/three/package.json' ) ) );
const licence = readFileSync( at( 'node_modules/three/LICENSE' ), 'utf8' ).trim();

await build( {
	entryPoints: [ at( 'viewer/main.js' ) ],
	outfile: at( 'dist/viewer.js' ),
	bundle: true,
	minify: true,
	format: 'iife',
	target: 'es2022',
	legalComments: 'none',
	banner: { js: `/*! Kiln's viewer of baked light, MIT OR Apache-2.0. It contains three.js ${ version }:\n${ licence }\n*/` },
	absWorkingDir: HERE,
	logLevel: 'info',
} );

mkdirSync( at( 'dist' ), { recursive: true } );
const page = readFileSync( at( 'viewer/index.html' ), 'utf8' );
const style = readFileSync( at( 'viewer/style.css' ), 'utf8' );
writeFileSync( at( 'dist/index.html' ), page.replace( '/* style.css */', () => style.trim() ) );
