/** The canvas: renderer, camera, orbiting, and pictures of linear light for tests. */

import {
	ACESFilmicToneMapping, AgXToneMapping, Box3, Color, FloatType, LinearSRGBColorSpace, LinearToneMapping, MathUtils,
	NeutralToneMapping, NoToneMapping, PCFShadowMap, PerspectiveCamera, Raycaster, ReinhardToneMapping, Scene, Vector3,
	WebGLRenderer, WebGLRenderTarget,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { jitter, Still } from './still.js';

export const TONE_MAPPINGS = {
	none: [ 'None', LinearToneMapping ],
	agx: [ 'AgX', AgXToneMapping ],
	aces: [ 'ACES', ACESFilmicToneMapping ],
	neutral: [ 'Neutral', NeutralToneMapping ],
	reinhard: [ 'Reinhard', ReinhardToneMapping ],
};

const BACKGROUND = new Color( 0x0d0f12 );
/** Milliseconds after which a camera rests. */
const REST = 150;

export class Stage extends EventTarget {

	constructor( canvas, model ) {

		super();
		this.canvas = canvas;
		this.renderer = new WebGLRenderer( { canvas, antialias: true, powerPreference: 'high-performance' } );
		this.renderer.shadowMap.enabled = true;
		this.renderer.shadowMap.type = PCFShadowMap;
		this.scene = new Scene();
		this.scene.background = BACKGROUND;
		this.scene.add( model );
		this.model = model;
		this.bounds = new Box3().setFromObject( model );
		this.radius = Math.max( this.bounds.getSize( new Vector3() ).length() / 2, 1e-3 );
		this.camera = new PerspectiveCamera( 40, 1, this.radius * 2e-3, this.radius * 40 );
		this.view = null;
		this.controls = new OrbitControls( this.camera, canvas );
		this.controls.enableDamping = true;
		this.controls.dampingFactor = 0.12;
		this.controls.listenToKeyEvents( canvas );
		this.controls.addEventListener( 'change', () => this.invalidate() );
		this.controls.addEventListener( 'start', () => this.dispatchEvent( new Event( 'orbit' ) ) );
		/** Called with the seconds since the last picture while they return true. */
		this.animations = new Set();
		/** The picture at rest. */
		this.still = new Still( this.renderer );
		this._pending = 0;
		this._rest = 0;
		this._time = 0;
		new ResizeObserver( () => this.#resize() ).observe( canvas.parentElement );
		this.#resize();

	}

	/** Asks for a new picture. */
	invalidate() {

		clearTimeout( this._rest );
		this.still.reset();
		if ( this._pending === 0 ) this._pending = requestAnimationFrame( ( time ) => this.#frame( time ) );

	}

	set toneMapping( name ) {

		this.renderer.toneMapping = TONE_MAPPINGS[ name ][ 1 ];
		this.invalidate();

	}

	/** Exposure in stops. */
	set exposure( stops ) {

		this.renderer.toneMappingExposure = 2 ** stops;
		this.invalidate();

	}

	/** Looks through a camera. */
	look( view ) {

		this.view = view;
		this.camera.position.copy( view.position );
		this.camera.quaternion.copy( view.quaternion );
		this.camera.updateMatrixWorld();
		const forward = new Vector3( 0, 0, - 1 ).applyQuaternion( view.quaternion );
		this.controls.target.copy( view.target ?? this.#ahead( forward ) );
		this.#fit();
		this.controls.update();
		// update() levels a rolled camera; the first picture is the camera's own.
		this.camera.quaternion.copy( view.quaternion );
		this.invalidate();

	}

	/** The part of the canvas that a camera's picture covers, in shares of it: left, top, width, height. */
	frame( aspect ) {

		const canvas = this.camera.aspect;
		const [ width, height ] = canvas > aspect ? [ aspect / canvas, 1 ] : [ 1, canvas / aspect ];
		return [ ( 1 - width ) / 2, ( 1 - height ) / 2, width, height ];

	}

	/**
	 * The linear light of a camera's picture, RGBA, row 0 on top; alpha is 0 where there is nothing. It is the mean of
	 * `frames` pictures, as the page shows it at rest.
	 */
	capture( view, width, height, frames = 1, samples = 4 ) {

		const { renderer } = this;
		const camera = new PerspectiveCamera( view.fov, width / height, this.camera.near, this.camera.far );
		camera.position.copy( view.position );
		camera.quaternion.copy( view.quaternion );
		camera.updateMatrixWorld();
		const target = new WebGLRenderTarget( width, height, { type: FloatType, samples, colorSpace: LinearSRGBColorSpace } );
		const before = [ renderer.toneMapping, this.scene.background ];
		renderer.toneMapping = NoToneMapping;
		this.scene.background = null;
		renderer.setClearColor( 0, 0 );
		const pixels = new Float32Array( 4 * width * height );
		const upright = new Float32Array( pixels.length );
		for ( let frame = 0; frame < frames; frame ++ ) {

			jitter( camera, frame, width, height );
			renderer.setRenderTarget( target );
			renderer.clear();
			renderer.render( this.scene, camera );
			renderer.readRenderTargetPixels( target, 0, 0, width, height, pixels );
			for ( let y = 0; y < height; y ++ ) {

				const [ from, to ] = [ 4 * width * ( height - 1 - y ), 4 * width * y ];
				for ( let i = 0; i < 4 * width; i ++ ) upright[ to + i ] += pixels[ from + i ] / frames;

			}

		}

		renderer.setRenderTarget( null );
		[ renderer.toneMapping, this.scene.background ] = before;
		target.dispose();
		return upright;

	}

	#ahead( forward ) {

		const [ hit ] = new Raycaster( this.camera.position, forward ).intersectObject( this.model, true );
		const distance = hit ? hit.distance : Math.max( this.camera.position.distanceTo( this.bounds.getCenter( new Vector3() ) ), this.radius * 0.2 );
		return this.camera.position.clone().addScaledVector( forward, distance );

	}

	/** Shows the whole picture of the camera, whatever shape the canvas has. */
	#fit() {

		if ( this.view === null ) return;
		const half = Math.tan( MathUtils.degToRad( this.view.fov ) / 2 );
		const aspect = this.view.aspect ?? Math.min( this.camera.aspect, 1 );
		const wider = Math.max( aspect / this.camera.aspect, 1 );
		this.camera.fov = 2 * MathUtils.radToDeg( Math.atan( half * wider ) );
		this.camera.updateProjectionMatrix();

	}

	#resize() {

		const { clientWidth, clientHeight } = this.canvas.parentElement;
		if ( clientWidth === 0 || clientHeight === 0 ) return;
		this.renderer.setPixelRatio( Math.min( devicePixelRatio, 2 ) );
		this.renderer.setSize( clientWidth, clientHeight, false );
		this.camera.aspect = clientWidth / clientHeight;
		this.camera.updateProjectionMatrix();
		this.#fit();
		this.dispatchEvent( new Event( 'resize' ) );
		this.invalidate();

	}

	#frame( time ) {

		this._pending = 0;
		const seconds = Math.min( ( time - this._time ) / 1000, 0.1 );
		this._time = time;
		let goesOn = false;
		for ( const animation of this.animations ) goesOn = animation( seconds ) || goesOn;
		if ( this._moved ) this.controls.update();
		this.renderer.render( this.scene, this.camera );
		if ( goesOn ) this.invalidate();
		else if ( this._pending === 0 ) this._rest = setTimeout( () => this.#refine(), REST );

	}

	#refine() {

		if ( this._pending === 0 && this.still.refine( this.scene, this.camera ) ) this._rest = setTimeout( () => requestAnimationFrame( () => this.#refine() ) );

	}

	/** Lets the controls move the camera, once the user has touched them. */
	free() {

		this._moved = true;
		this.invalidate();

	}

}
