/** Cameras of scene files, as far as the tests' scenes use them. */

import { readFileSync } from 'node:fs';

/** The camera `main` of a scene file, in the form of data.js, and the size of its film. */
export function cameraOf( path ) {

	const text = readFileSync( path, 'utf8' );
	const numbers = ( name, line ) => line.match( new RegExp( `\\b${ name }\\s*=\\s*\\(?([^);]*)` ) )?.[ 1 ].split( ',' ).map( Number );
	const [ width, height ] = numbers( 'size', text.match( /film\s*\{[^}]*\}/ )[ 0 ] );
	const line = text.match( /camera main[^}]*\}/ )[ 0 ];
	const [ from, to, [ fov ] ] = [ 'from', 'to', 'fov' ].map( ( name ) => numbers( name, line ) );
	return { camera: lookAt( 'main', from, to, fov, width / height ), width, height };

}

/** A camera of a name; `fov` in degrees along the width. */
export function lookAt( name, from, to, fov, aspect ) {

	const sub = ( a, b ) => a.map( ( v, i ) => v - b[ i ] );
	const cross = ( a, b ) => [ a[ 1 ] * b[ 2 ] - a[ 2 ] * b[ 1 ], a[ 2 ] * b[ 0 ] - a[ 0 ] * b[ 2 ], a[ 0 ] * b[ 1 ] - a[ 1 ] * b[ 0 ] ];
	const unit = ( a ) => a.map( ( v ) => v / Math.hypot( ...a ) );
	const z = unit( sub( from, to ) );
	const x = unit( cross( [ 0, 1, 0 ], z ) );
	const y = cross( z, x );
	const yfov = 2 * Math.atan( Math.tan( fov * Math.PI / 360 ) / aspect );
	return { name, matrix: [ ...x, 0, ...y, 0, ...z, 0, ...from, 1 ], yfov, aspect };

}
