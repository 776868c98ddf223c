/** Probes as balls, and an object that moves in their light. */

import {
	DataTexture, FloatType, InstancedMesh, Matrix4, Mesh, MeshStandardMaterial, NearestFilter, Plane, Raycaster, RGBAFormat,
	ShaderMaterial, SphereGeometry, Vector2, Vector3,
} from 'three';

/** Balls of all probes, white and matte, each lit by its own harmonics. */
export function probeBalls( probes, radius ) {

	const { positions, values, count, valid } = probes;
	const texels = new Float32Array( 4 * 9 * positions.length );
	for ( let probe = 0; probe < positions.length; probe ++ ) {

		for ( let i = 0; i < count; i ++ ) texels.set( values.subarray( 3 * ( probe * count + i ), 3 * ( probe * count + i ) + 3 ), 4 * ( 9 * probe + i ) );
		texels[ 36 * probe + 3 ] = valid[ probe ] ? 1 : 0;

	}

	const map = new DataTexture( texels, 9, positions.length, RGBAFormat, FloatType );
	map.magFilter = map.minFilter = NearestFilter;
	map.needsUpdate = true;
	const material = new ShaderMaterial( {
		uniforms: { map: { value: map } },
		vertexShader: /* glsl */`
			varying vec3 vWorldNormal;
			flat varying int vProbe;
			void main() {
				vWorldNormal = normal;
				vProbe = gl_InstanceID;
				gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4( position, 1.0 );
			}`.replace( 'flat varying', 'flat out' ),
		fragmentShader: /* glsl */`
			uniform highp sampler2D map;
			varying vec3 vWorldNormal;
			flat in int vProbe;
			vec3 c( int i ) { return texelFetch( map, ivec2( i, vProbe ), 0 ).rgb; }
			void main() {
				vec3 n = normalize( vWorldNormal );
				// Irradiance over π.
				vec3 light = 0.282095 * c( 0 ) + 0.325735 * ( c( 1 ) * n.y + c( 2 ) * n.z + c( 3 ) * n.x )
					+ 0.273137 * ( c( 4 ) * n.x * n.y + c( 5 ) * n.y * n.z + c( 7 ) * n.x * n.z )
					+ 0.078848 * c( 6 ) * ( 3.0 * n.z * n.z - 1.0 ) + 0.136569 * c( 8 ) * ( n.x * n.x - n.y * n.y );
				gl_FragColor = vec4( max( light, 0.0 ), 1.0 );
				// Probes in solids have stripes.
				if ( texelFetch( map, ivec2( 0, vProbe ), 0 ).a == 0.0 && mod( gl_FragCoord.x + gl_FragCoord.y, 6.0 ) < 3.0 ) discard;
				#include <tonemapping_fragment>
				#include <colorspace_fragment>
			}`,
	} );
	const balls = new InstancedMesh( new SphereGeometry( radius, 20, 14 ), material, positions.length );
	positions.forEach( ( position, index ) => balls.setMatrixAt( index, new Matrix4().setPosition( position ) ) );
	balls.frustumCulled = false;
	balls.visible = false;
	return balls;

}

/** A ball that moves in the light of the probes: the user drags it, or it circles. */
export class Mover {

	constructor( stage, probes ) {

		this.stage = stage;
		this.bounds = probes.bounds;
		const size = this.bounds.getSize( new Vector3() );
		const radius = Math.max( 0.05 * Math.min( ...size.toArray().filter( ( v ) => v > 0 ), stage.radius ), stage.radius * 0.03 );
		this.ball = new Mesh( new SphereGeometry( radius, 48, 32 ), new MeshStandardMaterial( { color: 0xe8e8e8, roughness: 0.45, metalness: 0 } ) );
		this.ball.userData.name = 'Moving ball';
		this.ball.position.copy( this.bounds.getCenter( new Vector3() ) );
		this.ball.castShadow = true;
		probes.light( this.ball );
		this.ball.visible = false;
		stage.scene.add( this.ball );
		this.phase = 0;
		this.circles = false;
		stage.animations.add( ( seconds ) => this.#move( seconds ) );
		this.#listen( stage.canvas );

	}

	#move( seconds ) {

		if ( ! this.circles || ! this.ball.visible ) return false;
		this.phase += seconds * 0.6;
		const center = this.bounds.getCenter( new Vector3() );
		const reach = this.bounds.getSize( new Vector3() ).multiplyScalar( 0.32 );
		this.ball.position.set(
			center.x + reach.x * Math.cos( this.phase ), center.y + 0.35 * reach.y * Math.sin( 0.7 * this.phase ), center.z + reach.z * Math.sin( this.phase ),
		);
		return true;

	}

	/** Drags the ball in the plane that faces the viewer. */
	#listen( canvas ) {

		const { stage } = this;
		const raycaster = new Raycaster();
		const aim = ( event ) => {

			const box = canvas.getBoundingClientRect();
			const at = new Vector2( 2 * ( event.clientX - box.left ) / box.width - 1, 1 - 2 * ( event.clientY - box.top ) / box.height );
			raycaster.setFromCamera( at, stage.camera );

		};

		let plane = null;
		const offset = new Vector3();
		canvas.addEventListener( 'pointerdown', ( event ) => {

			if ( ! this.ball.visible ) return;
			aim( event );
			const [ hit ] = raycaster.intersectObject( this.ball );
			if ( hit === undefined ) return;
			this.circles = false;
			this.dispatch?.();
			plane = new Plane().setFromNormalAndCoplanarPoint( stage.camera.getWorldDirection( new Vector3() ), hit.point );
			offset.copy( this.ball.position ).sub( hit.point );
			stage.controls.enabled = false;
			canvas.setPointerCapture( event.pointerId );
			event.stopImmediatePropagation();

		}, { capture: true } );
		canvas.addEventListener( 'pointermove', ( event ) => {

			if ( plane === null ) return;
			aim( event );
			const point = raycaster.ray.intersectPlane( plane, new Vector3() );
			if ( point ) this.ball.position.copy( point.add( offset ) ).clamp( this.bounds.min, this.bounds.max );
			stage.invalidate();

		} );
		const end = () => {

			plane = null;
			stage.controls.enabled = true;

		};

		canvas.addEventListener( 'pointerup', end );
		canvas.addEventListener( 'pointercancel', end );

	}

}
