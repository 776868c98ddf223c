/**
 * Anti-aliasing of the picture at rest: the mean of pictures whose samples are at different places of the pixels.
 *
 * Multisampling runs a program once for each pixel and smooths only edges. Patterns that a program computes have no mip
 * levels, so that lines thinner than a pixel need more samples. Light is averaged before tone mapping, as the path tracer
 * does it.
 */

import {
	CustomBlending, HalfFloatType, Mesh, NoBlending, OneMinusConstantAlphaFactor, ConstantAlphaFactor, OrthographicCamera, PlaneGeometry,
	ShaderMaterial, Vector2, WebGLRenderTarget,
} from 'three';

/** Pictures of the mean. */
export const STILL_FRAMES = 32;

/** Moves a camera by part of a pixel: the points of the R2 sequence (Roberts 2018), the first in the middle. */
export function jitter( camera, index, width, height ) {

	const at = ( step ) => ( index * step + 0.5 ) % 1 - 0.5;
	const { aspect } = camera;
	camera.setViewOffset( width, height, at( 0.7548776662 ), at( 0.5698402910 ), width, height );
	// setViewOffset() takes it from the size in whole pixels.
	camera.aspect = aspect;
	camera.updateProjectionMatrix();

}

/** The picture of a camera that rests. */
export class Still {

	constructor( renderer ) {

		this.renderer = renderer;
		/** Pictures of which it is the mean. */
		this.count = 0;
		this._size = new Vector2();
		this._one = new WebGLRenderTarget( 1, 1, { type: HalfFloatType, samples: 4 } );
		this._mean = new WebGLRenderTarget( 1, 1, { type: HalfFloatType, depthBuffer: false } );
		const pass = ( options ) => new Mesh( new PlaneGeometry( 2, 2 ), new ShaderMaterial( {
			vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = vec4( position.xy, 0.0, 1.0 ); }',
			depthTest: false, depthWrite: false, ...options,
		} ) );
		this._add = pass( {
			uniforms: { picture: { value: this._one.texture } }, toneMapped: false, transparent: true,
			blending: CustomBlending, blendSrc: ConstantAlphaFactor, blendDst: OneMinusConstantAlphaFactor,
			fragmentShader: 'uniform sampler2D picture; varying vec2 at; void main() { gl_FragColor = texture2D( picture, at ); }',
		} );
		this._show = pass( {
			uniforms: { picture: { value: this._mean.texture }, back: { value: null } }, blending: NoBlending,
			fragmentShader: /* glsl */`
uniform sampler2D picture; uniform vec3 back; varying vec2 at;
void main() {
	vec4 light = texture2D( picture, at );
	gl_FragColor = vec4( light.rgb / max( light.a, 1e-3 ), 1.0 );
	#include <tonemapping_fragment>
	gl_FragColor.rgb = mix( back, gl_FragColor.rgb, min( light.a, 1.0 ) );
	#include <colorspace_fragment>
}`,
		} );
		this._flat = new OrthographicCamera();

	}

	/** Begins anew. */
	reset() {

		this.count = 0;

	}

	/** Adds a picture and shows the mean; returns whether more are needed. */
	refine( scene, camera ) {

		const { renderer, _size: size } = this;
		renderer.getDrawingBufferSize( size );
		for ( const target of [ this._one, this._mean ] ) target.setSize( size.x, size.y );
		const { background } = scene;
		const before = [ renderer.shadowMap.autoUpdate, renderer.autoClear ];
		scene.background = null;
		// Nothing has moved since the picture before.
		renderer.shadowMap.autoUpdate = false;
		renderer.setClearColor( 0, 0 );
		jitter( camera, this.count, size.x, size.y );
		renderer.setRenderTarget( this._one );
		renderer.render( scene, camera );
		camera.clearViewOffset();
		this.count ++;
		renderer.autoClear = false;
		this._add.material.blendAlpha = 1 / this.count;
		renderer.setRenderTarget( this._mean );
		renderer.render( this._add, this._flat );
		renderer.setRenderTarget( null );
		this._show.material.uniforms.back.value = background;
		renderer.render( this._show, this._flat );
		scene.background = background;
		[ renderer.shadowMap.autoUpdate, renderer.autoClear ] = before;
		return this.count < STILL_FRAMES;

	}

}
