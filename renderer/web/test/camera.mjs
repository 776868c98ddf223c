/** Cameras in the form of data.js. */

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
