/**
 * Light probes of `kiln bake --target probes`: baked light for objects that move.
 *
 * Probes of a grid are interpolated between the eight around a point. Those that lie in solids or outside have no light; they
 * take the mean of their neighbours', so that nothing darkens near walls. Loose probes are weighted by distance.
 */

import { Box3, Matrix3, Vector3 } from 'three';
import { litMaterial, takesLight } from './material.js';

/** Loose probes that light a point. */
const NEAREST = 4;

export class KilnProbes {

	/** @param {Object} json contents of `probes.json` */
	constructor( { grid, probes } ) {

		this.grid = grid ?? null;
		this.positions = probes.map( ( probe ) => new Vector3( ...probe.position ) );
		// A probe that no light at all reaches is outside, too: under a floor, behind a wall that light does not pass.
		this.valid = probes.map( ( probe ) => probe.valid && probe.coefficients[ 0 ].some( ( v ) => v > 0 ) );
		this.order = ( probes[ 0 ]?.coefficients.length ?? 0 ) > 4 ? 2 : 1;
		this.count = this.order === 2 ? 9 : 4;
		/** RGB of each coefficient of each probe. */
		this.values = Float32Array.from( probes.flatMap( ( probe ) => probe.coefficients.flat() ) );
		/** Factor of the light. */
		this.intensity = 1;
		if ( this.grid ) this.#fill();

	}

	/**
	 * The light at a point: nine RGB coefficients of radiance in `to`, in the order of three.js's `SphericalHarmonics3`.
	 *
	 * @param {Vector3} point in the space of the model's scene
	 * @param {Vector3[]} to
	 */
	sample( point, to = Array.from( { length: 9 }, () => new Vector3() ) ) {

		for ( const value of to ) value.set( 0, 0, 0 );
		let sum = 0;
		for ( const [ index, weight ] of this.grid ? this.#corners( point ) : this.#nearest( point ) ) {

			sum += weight;
			for ( let i = 0; i < this.count; i ++ ) {

				const at = 3 * ( index * this.count + i );
				to[ i ].x += weight * this.values[ at ];
				to[ i ].y += weight * this.values[ at + 1 ];
				to[ i ].z += weight * this.values[ at + 2 ];

			}

		}

		if ( sum > 0 ) for ( const value of to ) value.divideScalar( sum );
		return to;

	}

	/**
	 * Lights an object, and what is below it, by the probes about its centre, wherever it moves. Its materials are
	 * replaced by copies.
	 *
	 * @param {Object3D} object
	 * @param {Object3D} [root] the model's scene, if it does not stand at the origin
	 */
	light( object, root = null ) {

		object.traverse( ( mesh ) => {

			if ( ! mesh.isMesh ) return;
			const values = Array.from( { length: 9 }, () => new Vector3() );
			const uniforms = {
				kilnProbe: { value: values },
				kilnIntensity: { value: 1 },
				kilnBump: { value: 1 },
				kilnFromWorld: { value: new Matrix3() },
			};
			const defines = { KILN_SOURCE: 4, KILN_ORDER: 2, KILN_SPECULAR: 1 };
			const lit = ( material ) => takesLight( material ) ? litMaterial( material, uniforms, defines ) : material;
			mesh.material = Array.isArray( mesh.material ) ? mesh.material.map( lit ) : lit( mesh.material );
			const center = new Vector3();
			const before = mesh.onBeforeRender;
			mesh.onBeforeRender = ( ...all ) => {

				if ( mesh.geometry.boundingSphere === null ) mesh.geometry.computeBoundingSphere();
				center.copy( mesh.geometry.boundingSphere.center ).applyMatrix4( mesh.matrixWorld );
				if ( root ) {

					root.worldToLocal( center );
					uniforms.kilnFromWorld.value.setFromMatrix4( root.matrixWorld ).transpose();

				}

				this.sample( center, values );
				uniforms.kilnIntensity.value = this.intensity;
				before.apply( mesh, all );

			};

		} );
		return object;

	}

	/** The box of all probes. */
	get bounds() {

		return new Box3().setFromPoints( this.positions );

	}

	/** The probes at the corners of the cell around a point, and their weights. */
	* #corners( point ) {

		const { origin, spacing, counts } = this.grid;
		const low = [];
		const part = [];
		for ( const [ axis, name ] of [ 'x', 'y', 'z' ].entries() ) {

			const step = Array.isArray( spacing ) ? spacing[ axis ] : spacing;
			const at = Math.min( Math.max( ( point[ name ] - origin[ axis ] ) / step, 0 ), counts[ axis ] - 1 );
			low[ axis ] = Math.min( Math.floor( at ), Math.max( counts[ axis ] - 2, 0 ) );
			part[ axis ] = at - low[ axis ];

		}

		for ( let corner = 0; corner < 8; corner ++ ) {

			let weight = 1;
			const at = [ 0, 1, 2 ].map( ( axis ) => {

				const up = ( corner >> axis ) & 1;
				weight *= up ? part[ axis ] : 1 - part[ axis ];
				return Math.min( low[ axis ] + up, counts[ axis ] - 1 );

			} );
			if ( weight > 0 ) yield [ this.#index( at ), weight ];

		}

	}

	#nearest( point ) {

		const near = this.positions
			.map( ( position, index ) => [ index, 1 / ( position.distanceToSquared( point ) + 1e-6 ) ] )
			.filter( ( [ index ] ) => this.valid[ index ] );
		return near.sort( ( a, b ) => b[ 1 ] - a[ 1 ] ).slice( 0, NEAREST );

	}

	#index( [ x, y, z ] ) {

		const { counts } = this.grid;
		return x + counts[ 0 ] * ( y + counts[ 1 ] * z );

	}

	/** Gives light to probes in solids, from their neighbours outward. */
	#fill() {

		const { counts } = this.grid;
		const known = this.valid.slice();
		const size = 3 * this.count;
		for ( let open = true; open; ) {

			open = false;
			const found = [];
			for ( let z = 0; z < counts[ 2 ]; z ++ ) for ( let y = 0; y < counts[ 1 ]; y ++ ) for ( let x = 0; x < counts[ 0 ]; x ++ ) {

				const index = this.#index( [ x, y, z ] );
				if ( known[ index ] ) continue;
				const around = [ [ 1, 0, 0 ], [ 0, 1, 0 ], [ 0, 0, 1 ] ].flatMap( ( [ i, j, k ] ) => [ [ x + i, y + j, z + k ], [ x - i, y - j, z - k ] ] )
					.filter( ( at ) => at.every( ( v, axis ) => v >= 0 && v < counts[ axis ] ) )
					.map( ( at ) => this.#index( at ) )
					.filter( ( other ) => known[ other ] );
				if ( around.length > 0 ) found.push( [ index, around ] );

			}

			for ( const [ index, around ] of found ) {

				for ( let i = 0; i < size; i ++ ) {

					this.values[ size * index + i ] = around.reduce( ( sum, other ) => sum + this.values[ size * other + i ], 0 ) / around.length;

				}

			}

			for ( const [ index ] of found ) known[ index ] = open = true;

		}

	}

}
