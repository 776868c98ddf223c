/** Materials that show baked light: copies of three.js's own with chunks of shader added. */

import { fragmentMaps, fragmentOcclusion, fragmentPars, fragmentShow, vertexMain, vertexPars } from './shader.js';

/** Kinds of materials whose shaders gather light as the chunks expect. */
const SUPPORTED = [ 'MeshStandardMaterial', 'MeshPhysicalMaterial', 'MeshPhongMaterial', 'MeshLambertMaterial', 'MeshToonMaterial' ];

/** Whether a material can show baked light. Unlit ones show none. */
export function takesLight( material ) {

	return material != null && SUPPORTED.includes( material.type );

}

/**
 * Makes a copy of a material that shows baked light.
 *
 * @param {Material} original
 * @param {Object} uniforms uniforms by name, shared with the caller
 * @param {Object} defines definitions by name
 */
export function litMaterial( original, uniforms, defines ) {

	const material = original.clone();
	// clone() copies neither.
	const before = original.onBeforeCompile;
	const key = original.customProgramCacheKey.bind( original );
	material.defines = { ...material.defines, ...defines };
	material.onBeforeCompile = ( shader, renderer ) => {

		before.call( material, shader, renderer );
		Object.assign( shader.uniforms, uniforms );
		shader.vertexShader = shader.vertexShader
			.replace( '#include <common>', ( chunk ) => chunk + vertexPars )
			.replace( '#include <uv_vertex>', ( chunk ) => chunk + vertexMain );
		shader.fragmentShader = shader.fragmentShader
			.replace( '#include <lights_pars_begin>', ( chunk ) => chunk + fragmentPars )
			.replace( '#include <emissivemap_fragment>', ( chunk ) => chunk + fragmentShow )
			.replace( '#include <lights_fragment_maps>', ( chunk ) => chunk + fragmentMaps )
			.replace( '#include <aomap_fragment>', fragmentOcclusion );

	};

	material.customProgramCacheKey = () => `kiln-lightmap ${ key() }`;
	return material;

}

/** Changes definitions of a material; those that are `undefined` go. */
export function define( material, defines ) {

	let changed = false;
	for ( const [ name, value ] of Object.entries( defines ) ) {

		if ( material.defines[ name ] === value ) continue;
		changed = true;
		if ( value === undefined ) delete material.defines[ name ];
		else material.defines[ name ] = value;

	}

	if ( changed ) material.needsUpdate = true;

}
