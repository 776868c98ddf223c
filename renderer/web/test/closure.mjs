/** Closures as `kiln shade --print` writes them, and the G-buffer of their lobes, by the table of raster code's documentation. */

const zero = () => [ 0, 0, 0 ];
const sum = ( a, b ) => a.map( ( v, lane ) => v + b[ lane ] );
const times = ( a, b ) => a.map( ( v, lane ) => v * ( Array.isArray( b ) ? b[ lane ] : b ) );
const mean = ( color ) => ( color[ 0 ] + color[ 1 ] + color[ 2 ] ) / 3;
const clamp = ( v ) => Math.min( Math.max( v, 0 ), 1 );

/** A closure as a sum of `{ weight, name, args }`; texts in `args` are names of the value that follows. */
export function parseClosure( text ) {

	const words = text.match( /"[^"]*"|[A-Za-z_]\w*|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[(),*+]/g ) ?? [];
	let at = 0;
	const list = ( item ) => {

		const items = [];
		at ++;
		while ( words[ at ] !== ')' ) {

			items.push( item() );
			if ( words[ at ] === ',' ) at ++;

		}

		at ++;
		return items;

	};

	const number = () => Number( words[ at ++ ] );
	const value = () => {

		if ( words[ at ].startsWith( '"' ) ) return words[ at ++ ].slice( 1, - 1 );
		if ( words[ at ] !== '(' ) return number();
		const start = at;
		const vector = list( number );
		if ( words[ at ] !== '*' ) return vector;
		at = start;
		return closure();

	};

	const closure = () => {

		const terms = [];
		while ( words[ at ] === '(' ) {

			const weight = list( number );
			at ++;
			const name = words[ at ++ ];
			terms.push( { weight, name, args: list( value ) } );
			if ( words[ at ] === '+' ) at ++;

		}

		return terms;

	};

	return closure();

}

/** What a GGX lobe reflects (Karis 2014). */
function reflected( f0, f90, alpha, cosine ) {

	const rough = Math.sqrt( clamp( alpha ) );
	const [ x, y, z, w ] = [ 1 - rough, 0.0425 - 0.0275 * rough, 1.04 - 0.572 * rough, 0.022 * rough - 0.04 ];
	const a = Math.min( x * x, 2 ** ( - 9.28 * cosine ) ) * x + y;
	return sum( times( f0, clamp( z - 1.04 * a ) ), times( f90, clamp( 1.04 * a + w ) ) );

}

/** What Oren and Nayar's model reflects of a uniform sky: their equation 30, summed over the sky. */
function roughAlbedo( sigma, cosine ) {

	const [ a, b ] = [ 1 - 0.5 * sigma ** 2 / ( sigma ** 2 + 0.33 ), 0.45 * sigma ** 2 / ( sigma ** 2 + 0.09 ) ];
	let [ sum, whole ] = [ 0, 0 ];
	const view = Math.acos( cosine );
	const steps = 200;
	for ( let i = 0; i < steps; i ++ ) {

		const light = ( i + 0.5 ) / steps * Math.PI / 2;
		const weight = Math.sin( light ) * Math.cos( light );
		// The positive part of the cosine of the azimuth is 1/π in the mean.
		sum += weight * ( a + b / Math.PI * Math.sin( Math.max( light, view ) ) * Math.tan( Math.min( light, view ) ) );
		whole += weight;

	}

	return sum / whole / Math.max( a + b / 2, 1 );

}

/** The lobes of closures that scenes use, for a viewer at a cosine. */
const LOBES = {
	diffuse: ( [ n ] ) => body( n ),
	oren_nayar: ( [ n, sigma ], cosine ) => ( { ...body( n ), diffuse: Array( 3 ).fill( roughAlbedo( sigma, cosine ) ) } ),
	dielectric_bsdf: ( [ n, , tint, , along, across, ior ] ) => shine( times( tint, ( ( ior - 1 ) / ( ior + 1 ) ) ** 2 ), tint, along, across, n ),
	conductor_bsdf: ( [ n, , along, across, eta, k ] ) => shine( eta.map( ( v, lane ) => ( ( v - 1 ) ** 2 + k[ lane ] ** 2 ) / ( ( v + 1 ) ** 2 + k[ lane ] ** 2 ) ), [ 1, 1, 1 ], along, across, n ),
	layer: ( [ top, base ], cosine ) => {

		const above = lobesOf( top, cosine );
		const kept = sum( above.diffuse, reflected( above.f0, above.f90, ratio( above.alpha[ 0 ], above.alpha[ 2 ] ), cosine ) );
		return added( above, scaled( lobesOf( base, cosine ), kept.map( ( v ) => Math.max( 1 - v, 0 ) ) ) );

	},
	coat: ( [ base, ...named ], cosine ) => {

		const { ior, tint, roughness } = Object.fromEntries( named.flatMap( ( name, index ) => index % 2 === 0 ? [ [ name, named[ index + 1 ] ] ] : [] ) );
		const f0 = ( ( ior - 1 ) / ( ior + 1 ) ) ** 2;
		const kept = reflected( [ f0, f0, f0 ], [ 1, 1, 1 ], 0, cosine );
		const under = scaled( lobesOf( base, cosine ), times( kept.map( ( v ) => Math.max( 1 - v, 0 ) ), tint ) );
		return added( under, { ...none(), f0: [ f0, f0, f0 ], alpha: times( [ roughness, roughness, 1 ], f0 ) } );

	},
};
const ratio = ( a, b ) => b === 0 ? 0 : a / b;
const none = () => ( { diffuse: zero(), normal: zero(), f0: zero(), f90: zero(), alpha: zero() } );
const body = ( n ) => ( { ...none(), diffuse: [ 1, 1, 1 ], normal: n } );

function shine( f0, f90, along, across, n ) {

	const weight = mean( f0 ) + 0.01 * mean( f90 );
	return { ...none(), normal: times( n, weight ), f0, f90, alpha: times( [ along, across, 1 ], weight ) };

}

/** Quantities that are means are weighted by the mean of a colour. */
const scaled = ( lobes, weight ) => Object.fromEntries( Object.entries( lobes ).map( ( [ name, v ] ) => [ name, times( v, name === 'normal' || name === 'alpha' ? mean( weight ) : weight ) ] ) );
const added = ( a, b ) => Object.fromEntries( Object.entries( a ).map( ( [ name, v ] ) => [ name, sum( v, b[ name ] ) ] ) );

function lobesOf( closure, cosine ) {

	return closure.reduce( ( lobes, { weight, name, args } ) => {

		if ( LOBES[ name ] === undefined ) throw new Error( `no lobes are known for ${ name }` );
		return added( lobes, scaled( LOBES[ name ]( args, cosine ), weight ) );

	}, none() );

}

/** The mixture of a dielectric with f0 = 0.04 and a metal that has these colours: its base colour and metalness. */
function mixture( diffuse, f0 ) {

	const [ d, s ] = [ Math.max( ...diffuse ), Math.max( ...f0 ) ];
	const b = d / 0.96 + s - 0.08;
	const metalness = s < 0.04 + 1e-6 ? 0 : clamp( ( Math.sqrt( Math.max( b * b - 0.16 * ( 0.04 - s ), 0 ) ) - b ) / 0.08 );
	const share = metalness ** 2;
	const albedo = diffuse.map( ( v, lane ) => {

		const body = v / ( 0.96 * Math.max( 1 - metalness, 1e-4 ) );
		const metal = ( f0[ lane ] - 0.04 * ( 1 - metalness ) ) / Math.max( metalness, 1e-4 );
		return clamp( body * ( 1 - share ) + metal * share );

	} );
	return { albedo, metalness };

}

/** The surface in a G-buffer; `n` is the surface's own normal. */
export function surfaceOf( closure, cosine, n ) {

	const { diffuse, normal, f0, alpha } = lobesOf( closure, cosine );
	const size = Math.hypot( ...normal );
	const rough = alpha[ 2 ] > 0 ? Math.max( alpha[ 0 ], alpha[ 1 ] ) / alpha[ 2 ] : 1;
	return { ...mixture( diffuse, f0 ), roughness: Math.sqrt( rough ), normal: size > 0 ? times( normal, 1 / size ) : n };

}
