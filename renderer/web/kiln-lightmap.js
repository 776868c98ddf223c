/**
 * Baked light of `kiln bake` in three.js: a plugin of GLTFLoader.
 *
 *     loader.register( ( parser ) => new KilnLightmap( parser ) );
 *     const gltf = await loader.loadAsync( 'out/model.glb' );
 *     gltf.userData.kilnLightmap.mode = 'directional';
 *
 * The file says where the lightmap is (`extras.lightmap` of the root), and which rectangle of it each primitive of a node
 * has (`extras.lightmap` of nodes). Nodes keep sharing their geometry and textures; each lit node gets copies of its
 * materials, with the rectangle as a uniform, which share their compiled programs.
 */

import { InstancedBufferAttribute, Matrix3, Vector2, Vector4 } from 'three';
import { KilnProbes } from './lib/probes.js';
import { define, litMaterial, takesLight } from './lib/material.js';
import { LightmapTextures, textureOfRange } from './lib/textures.js';

export { KilnProbes } from './lib/probes.js';
export { readExr, UnsupportedExr } from './lib/exr.js';

/** With the second, the lightmap has several pages. */
const VERSIONS = [ 1, 2 ];
const SOURCES = { irradiance: 1, directional: 2, sh1: 3, sh2: 3 };
const SHOWS = { material: 0, clay: 1, light: 2, texels: 3 };
const DEFAULTS = { mode: 'auto', intensity: 1, normalMaps: true, specular: true, occlusion: false, lights: 'match' };
/** Kiln takes lights of glTF, in candela and lux, to radiometric units by this. */
const LUMENS_PER_WATT = 683;
/** Where an instance, or a back, has no light: it was not baked, or next to nothing reaches it. */
const NOWHERE = { offset: [ - 1, - 1 ], scale: [ 0, 0 ] };

/** The plugin, and afterwards the lightmap of the model: `gltf.userData.kilnLightmap`. */
export class KilnLightmap {

	/** See `KilnLightmapOptions` in kiln-lightmap.d.ts. */
	constructor( parser, options = {} ) {

		this.name = 'KILN_lightmap';
		this.parser = parser;
		this.options = { ...DEFAULTS, ...options };
		/** Lit materials; each with the one it was made of. */
		this.materials = new Map();
		/** Lit meshes. */
		this.meshes = [];
		/** Resolves when the mode that was set last is shown. */
		this.ready = Promise.resolve();
		this.extras = null;
		this.texel = null;
		this._mode = 'off';
		this._show = 'material';
		this._shown = null;
		this._root = null;
		this.uniforms = {
			kilnMap: { value: null },
			kilnLayers: { value: 1 },
			kilnIntensity: { value: 1 },
			kilnBump: { value: this.options.normalMaps ? 1 : 0 },
			kilnFromWorld: { value: new Matrix3() },
		};
		this._intensity = this.options.intensity;
		this._load = this.options.load ?? ( ( name ) => this.#fetch( name ) );

	}

	/** Called by GLTFLoader. */
	async afterRoot( gltf ) {

		const extras = this.parser.json.extras?.lightmap;
		if ( extras === undefined ) return;
		if ( ! VERSIONS.includes( extras.version ) ) {

			console.warn( `KilnLightmap: version ${ extras.version } of lightmaps is not known; kiln-lightmap may be too old` );
			return;

		}

		this.extras = extras;
		this._root = gltf.scene;
		this.textures = new LightmapTextures( extras, this._load, this.options );
		// Kiln bakes the backs that get light. If it did so anywhere, the other backs are dark.
		this._darkBacks = ( this.parser.json.nodes ?? [] ).some( ( node ) => node.extras?.lightmap?.primitives?.some( hasBack ) );
		for ( const scene of gltf.scenes ) scene.traverse( ( node ) => this.#lightNode( node ) );
		if ( this.options.lights === 'match' ) matchLights( gltf.scenes, this.include );
		gltf.userData.kilnLightmap = this;
		this.mode = this.options.mode;
		await this.ready;

	}

	/** Which light is baked: `indirect`, `direct` or `both`. */
	get include() {

		return this.extras.include;

	}

	/** The modes that the lightmap has, best first, and `off`. */
	get modes() {

		return [ ...this.textures.modes, 'off' ];

	}

	get mode() {

		return this._mode;

	}

	set mode( mode ) {

		this.setMode( mode ).catch( ( error ) => console.error( error ) );

	}

	/** Loads what a mode needs and shows it. */
	setMode( mode ) {

		const modes = this.modes;
		if ( mode === 'auto' ) mode = modes[ 0 ];
		if ( ! modes.includes( mode ) ) {

			return Promise.reject( new Error( `KilnLightmap: there is no mode '${ mode }'; the modes are ${ modes.join( ', ' ) }` ) );

		}

		this._mode = mode;
		const ready = this.#show( mode );
		this.ready = ready.catch( () => {} );
		return ready;

	}

	/** Factor of baked light. */
	get intensity() {

		return this._intensity;

	}

	set intensity( intensity ) {

		this._intensity = intensity;
		this.uniforms.kilnIntensity.value = intensity * ( this._shown?.scale ?? 1 );

	}

	/** Whether baked light responds to normal and bump maps. */
	get normalMaps() {

		return this.uniforms.kilnBump.value > 0;

	}

	set normalMaps( on ) {

		this.uniforms.kilnBump.value = on ? 1 : 0;

	}

	/** `material`, or a view of the lightmap itself: `clay`, `light`, `texels`. */
	get show() {

		return this._show;

	}

	set show( show ) {

		if ( SHOWS[ show ] === undefined ) throw new Error( `KilnLightmap: there is no view '${ show }'; the views are ${ Object.keys( SHOWS ).join( ', ' ) }` );
		this._show = show;
		this.#redefine();

	}

	/** Gives a lit mesh another material, for instance of KHR_materials_variants; returns the copy that it shows. */
	apply( mesh, material ) {

		const place = mesh.userData.kilnPlace;
		mesh.material = place && takesLight( material ) ? this.#material( material, place ) : material;
		return mesh.material;

	}

	/** Loads the probes of a bake, by default of the same folder. */
	async loadProbes( name = 'probes.json' ) {

		const text = new TextDecoder().decode( await this._load( name ) );
		return new KilnProbes( JSON.parse( text ) );

	}

	/** Frees the textures and materials. */
	dispose() {

		this.textures?.dispose();
		for ( const material of this.materials.keys() ) material.dispose();

	}

	async #fetch( name ) {

		const { path, requestHeader, withCredentials, manager } = this.parser.options;
		const url = manager.resolveURL( new URL( name, new URL( path || './', document.baseURI ) ).href );
		const response = await fetch( url, { headers: requestHeader, credentials: withCredentials ? 'include' : 'same-origin' } );
		if ( ! response.ok ) throw new Error( `KilnLightmap: ${ url } answered ${ response.status }` );
		return response.arrayBuffer();

	}

	async #show( mode ) {

		if ( mode !== 'off' ) {

			const shown = await this.#texture( mode );
			// Another mode may have been chosen while this one was loading.
			if ( this._mode !== mode ) return;
			this._shown = shown;
			this.uniforms.kilnMap.value = shown.texture;
			this.uniforms.kilnLayers.value = shown.layers;
			this.texel = [ shown.texture.image.width, shown.texture.image.height ];
			this.intensity = this._intensity;

		}

		this.#redefine();

	}

	async #texture( mode ) {

		try {

			return await this.textures.texture( mode );

		} catch ( error ) {

			const range = this.extras.range;
			if ( range == null ) throw error;
			console.warn( `${ error.message }; the 8-bit image in the model is shown instead` );
			if ( this._mode === mode ) this._mode = 'irradiance';
			const texture = await this.parser.getDependency( 'texture', range.texture );
			if ( ! this._range ) this._range = textureOfRange( texture.image, range.intensity );
			return this._range;

		}

	}

	#redefine() {

		const defines = this.#defines();
		for ( const material of this.materials.keys() ) define( material, defines );

	}

	/** The definitions of the mode, the same for all materials. */
	#defines() {

		const on = this._mode !== 'off' && this._shown !== null;
		const show = SHOWS[ this._show ];
		return {
			KILN_SOURCE: on ? SOURCES[ this._mode ] : undefined,
			KILN_ORDER: on && SOURCES[ this._mode ] === 3 ? Number( this._mode[ 2 ] ) : undefined,
			KILN_GRAY: on && this._shown.gray ? 1 : undefined,
			KILN_SHOW: show || undefined,
			KILN_SPECULAR: this.options.specular ? 1 : undefined,
			KILN_ALL_LIGHT: this.include === 'indirect' ? undefined : 1,
			KILN_SKIP_OCCLUSION: on && ! this.options.occlusion ? 1 : undefined,
		};

	}

	#lightNode( node ) {

		const extras = node.userData.lightmap;
		if ( ! Array.isArray( extras?.primitives ) || node.userData.kilnNode ) return;
		const meshes = primitivesOf( node, extras.primitives.length );
		extras.primitives.forEach( ( place, index ) => {

			const mesh = meshes[ index ];
			if ( place !== null && mesh !== undefined ) this.#lightMesh( mesh, place, place.texCoord ?? extras.texCoord ?? 1 );

		} );

	}

	#lightMesh( mesh, place, texCoord ) {

		const uv = attributeOf( texCoord );
		if ( mesh.geometry.attributes[ uv ] === undefined ) {

			console.warn( `KilnLightmap: '${ mesh.name }' has no TEXCOORD_${ texCoord }` );
			return;

		}

		if ( place.instances ) {

			if ( ! mesh.isInstancedMesh ) return;
			mesh.geometry = withInstances( mesh.geometry, place, mesh.count, this._darkBacks );

		}

		Object.defineProperty( mesh.userData, 'kilnPlace', { value: { ...place, uv, texCoord }, enumerable: false } );
		const lit = ( material ) => takesLight( material ) ? this.#material( material, mesh.userData.kilnPlace ) : material;
		mesh.material = Array.isArray( mesh.material ) ? mesh.material.map( lit ) : lit( mesh.material );
		const before = mesh.onBeforeRender;
		mesh.onBeforeRender = ( ...all ) => {

			this.uniforms.kilnFromWorld.value.setFromMatrix4( this._root.matrixWorld ).transpose();
			before.apply( mesh, all );

		};

		this.meshes.push( mesh );

	}

	/** The copy of a material for a place; primitives of the same place share it. */
	#material( original, place ) {

		const rect = ( { offset, scale } ) => new Vector4( ...offset, ...scale );
		const front = place.instances ? undefined : rect( place );
		const back = place.instances ? undefined : rect( place.back ?? ( this._darkBacks ? NOWHERE : place ) );
		const key = JSON.stringify( [ place.page, place.offset, place.scale, place.back, place.uv, place.instances !== undefined ] );
		for ( const [ material, made ] of this.materials ) if ( made.original === original && made.key === key ) return material;
		const uniforms = { ...this.uniforms };
		if ( front ) Object.assign( uniforms, { kilnRect: { value: front }, kilnRectBack: { value: back }, kilnPages: { value: pagesOf( place ) } } );
		const defines = {
			KILN_UV: place.uv,
			// three.js declares the sets that it knows by itself.
			...( place.texCoord > 3 ? { KILN_OWN_UV: 1 } : place.texCoord > 0 ? { [ `USE_UV${ place.texCoord }` ]: '' } : {} ),
			...( this._darkBacks ? { KILN_BACK: 1 } : {} ),
			...( this.extras.pages ? { KILN_PAGES: 1 } : {} ),
			...( place.instances ? { KILN_INSTANCES: 1 } : {} ),
		};
		const material = litMaterial( original, uniforms, defines );
		define( material, this.#defines() );
		this.materials.set( material, { original, key } );
		return material;

	}

}

/** Whether a primitive has a back of its own, or an instance of it. */
function hasBack( place ) {

	return place?.back !== undefined || Boolean( place?.instances?.some( ( instance ) => instance?.back ) );

}

/** The pages of a front and its back. */
function pagesOf( { page = 0, back } ) {

	return new Vector2( page, back?.page ?? page );

}

/** The meshes of a node's own primitives, in the order of the file. */
function primitivesOf( node, count ) {

	if ( node.isMesh ) return [ node ];
	const own = node.children.filter( ( child ) => child.userData.lightmap === undefined );
	const meshes = own.filter( ( child ) => child.isMesh || child.isLine || child.isPoints );
	// With a camera or a light at the same node the mesh is one level deeper.
	const group = own.find( ( child ) => child.isGroup && child.children.length >= count && child.children[ 0 ].isMesh );
	const list = meshes.length >= count ? meshes : group ? group.children : meshes;
	return list.slice( 0, count );

}

/** The name that GLTFLoader gives to a set of texture coordinates. */
function attributeOf( texCoord ) {

	return texCoord === 0 ? 'uv' : texCoord < 4 ? `uv${ texCoord }` : `texcoord_${ texCoord }`;

}

/** A geometry with the same attributes, and the rectangles of its instances. */
function withInstances( geometry, place, count, darkBacks ) {

	const list = ( of ) => new Float32Array( Array.from( { length: count }, ( _, index ) => {

		const { offset, scale } = of( place.instances[ index ] ?? NOWHERE );
		return [ ...offset, ...scale ];

	} ).flat() );
	// clone() would copy the buffers.
	const shared = Object.assign( new geometry.constructor(), {
		name: geometry.name,
		index: geometry.index,
		attributes: { ...geometry.attributes },
		morphAttributes: geometry.morphAttributes,
		morphTargetsRelative: geometry.morphTargetsRelative,
		groups: geometry.groups,
		drawRange: geometry.drawRange,
		boundingBox: geometry.boundingBox,
		boundingSphere: geometry.boundingSphere,
		userData: geometry.userData,
	} );
	shared.setAttribute( 'kilnInstance', new InstancedBufferAttribute( list( ( instance ) => instance ), 4 ) );
	shared.setAttribute( 'kilnInstanceBack', new InstancedBufferAttribute( list( ( instance ) => instance.back ?? ( darkBacks ? NOWHERE : instance ) ), 4 ) );
	const pages = Array.from( { length: count }, ( _, index ) => pagesOf( place.instances[ index ] ?? NOWHERE ).toArray() );
	shared.setAttribute( 'kilnInstancePages', new InstancedBufferAttribute( new Float32Array( pages.flat() ), 2 ) );
	return shared;

}

/** Hides lights whose light is baked; others get the units of the bake. */
function matchLights( scenes, include ) {

	for ( const scene of scenes ) scene.traverse( ( node ) => {

		if ( ! node.isLight ) return;
		if ( include === 'indirect' ) node.intensity /= LUMENS_PER_WATT;
		else node.visible = false;

	} );

}
