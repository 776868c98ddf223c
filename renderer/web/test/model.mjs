/** Small models of squares for tests. */

import { writeGlb } from './glb.mjs';

/** Corners of a square of side 2 about the origin that faces +z, and their texture coordinates, v down. */
const CORNERS = [ [ - 1, - 1, 0 ], [ 1, - 1, 0 ], [ 1, 1, 0 ], [ - 1, 1, 0 ] ];
const UVS = [ [ 0, 1 ], [ 1, 1 ], [ 1, 0 ], [ 0, 0 ] ];

/**
 * A GLB file in which nodes show one square.
 *
 * @param {{ nodes: Object[], lightmap: Object, material?: Object, sets?: number, images?: Buffer[], instances?: number[][] }} model
 * `sets`: how many sets of texture coordinates there are; all are the same, but those before the last are zero
 */
export function squares( { nodes, lightmap, material = {}, sets = 2, images = [], instances, extensions = [] } ) {

	const parts = [];
	const views = [];
	const accessors = [];
	let size = 0;
	const view = ( bytes ) => {

		views.push( { buffer: 0, byteOffset: size, byteLength: bytes.length } );
		const padded = Buffer.alloc( Math.ceil( bytes.length / 4 ) * 4 );
		padded.set( bytes );
		parts.push( padded );
		size += padded.length;
		return views.length - 1;

	};

	const floats = ( rows ) => accessors.push( {
		bufferView: view( Buffer.from( Float32Array.from( rows.flat() ).buffer ) ),
		componentType: 5126, count: rows.length, type: `VEC${ rows[ 0 ].length }`,
		min: rows[ 0 ].map( ( _, axis ) => Math.min( ...rows.map( ( row ) => row[ axis ] ) ) ),
		max: rows[ 0 ].map( ( _, axis ) => Math.max( ...rows.map( ( row ) => row[ axis ] ) ) ),
	} ) - 1;
	const attributes = { POSITION: floats( CORNERS ), NORMAL: floats( CORNERS.map( () => [ 0, 0, 1 ] ) ) };
	for ( let set = 0; set < sets; set ++ ) attributes[ `TEXCOORD_${ set }` ] = floats( set === sets - 1 ? UVS : UVS.map( () => [ 0, 0 ] ) );
	const indices = accessors.push( { bufferView: view( Buffer.from( Uint16Array.of( 0, 1, 2, 0, 2, 3 ).buffer ) ), componentType: 5123, count: 6, type: 'SCALAR' } ) - 1;
	if ( instances ) {

		const translation = floats( instances );
		for ( const node of nodes ) node.extensions = { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: translation } } };
		extensions = [ ...extensions, 'EXT_mesh_gpu_instancing' ];

	}

	const json = {
		asset: { version: '2.0' }, scene: 0, scenes: [ { nodes: nodes.map( ( _, index ) => index ) } ],
		nodes: nodes.map( ( node ) => ( { mesh: 0, ...node } ) ),
		meshes: [ { primitives: [ { attributes, indices, material: 0 } ] } ],
		materials: [ {
			pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1, baseColorFactor: [ 0.5, 0.5, 0.5, 1 ] },
			extensions: { KHR_materials_specular: { specularFactor: 0 } }, ...material,
		} ],
		extensionsUsed: [ 'KHR_materials_specular', ...extensions ],
		extras: { lightmap: { version: 1, include: 'both', irradiance: 'irradiance.exr', ...lightmap } },
		accessors, bufferViews: views, buffers: [ { byteLength: 0 } ],
	};
	if ( images.length > 0 ) {

		json.images = images.map( ( bytes ) => ( { bufferView: view( bytes ), mimeType: 'image/png' } ) );
		json.textures = images.map( ( _, source ) => ( { source } ) );

	}

	return writeGlb( { json, binary: Buffer.concat( parts ) } );

}
