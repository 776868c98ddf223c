/** Turns `scene.glb` of a bake into a model with the extras of a lightmap, and with maps of its surfaces as textures. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGlb, writeGlb } from './glb.mjs';
import { readPicture } from './picture.mjs';

/** The model of a bake's folder. */
export async function modelOf( folder ) {

	const manifest = JSON.parse( readFileSync( join( folder, 'bake.json' ) ) );
	const glb = readGlb( readFileSync( join( folder, 'scene.glb' ) ) );
	const { json } = glb;
	const { atlas } = manifest;
	const files = manifest.files.filter( ( name ) => /^sh_.*\.exr$/.test( name ) );
	json.extras = { lightmap: {
		version: 1, width: atlas.width, height: atlas.height, include: manifest.settings.include,
		irradiance: 'irradiance.exr', direction: 'direction.exr', color: 'color.exr',
		sh: { order: manifest.basis.order, layout: atlas.layout, files },
		range: { texture: 0, intensity: atlas.lightmap.intensity },
	} };
	for ( const node of json.nodes ) {

		node.extras = { lightmap: { texCoord: 1, primitives: [ { offset: [ 0, 0 ], scale: [ 1, 1 ] } ] } };

	}

	const texture = ( name ) => addTexture( glb, join( folder, `surface_${ name }.png` ) );
	const albedo = texture( 'albedo' );
	const normal = texture( 'tangent_normal' );
	const emission = await emissionOf( folder, atlas );
	json.extensionsUsed.push( 'KHR_materials_specular', 'KHR_materials_emissive_strength' );
	for ( const material of json.materials ) {

		// Matte: no mirror-like part at all.
		material.extensions.KHR_materials_specular = { specularFactor: 0 };
		if ( albedo !== null ) {

			material.pbrMetallicRoughness.baseColorTexture = { index: albedo, texCoord: 1 };
			material.pbrMetallicRoughness.baseColorFactor = [ 1, 1, 1, 1 ];

		}

		const glow = emission.get( material.name );
		if ( glow ) {

			const strength = Math.max( ...glow );
			material.emissiveFactor = glow.map( ( v ) => v / strength );
			material.extensions.KHR_materials_emissive_strength = { emissiveStrength: strength };

		}

		if ( normal !== null ) material.normalTexture = { index: normal, texCoord: 1 };

	}

	return writeGlb( glb );

}

/** The mean radiance of each object that shines. */
async function emissionOf( folder, atlas ) {

	const path = join( folder, 'surface_emission.exr' );
	const found = new Map();
	if ( ! existsSync( path ) ) return found;
	const { width, pixels } = await readPicture( path );
	for ( const { name, rect: [ left, top, right, bottom ] } of atlas.objects ) {

		const sum = [ 0, 0, 0 ];
		let count = 0;
		for ( let y = top; y < bottom; y ++ ) for ( let x = left; x < right; x ++ ) {

			const value = pixels.subarray( 4 * ( y * width + x ), 4 * ( y * width + x ) + 3 );
			if ( Math.max( ...value ) === 0 ) continue;
			count ++;
			value.forEach( ( v, lane ) => ( sum[ lane ] += v ) );

		}

		if ( count > 0 ) found.set( name, sum.map( ( v ) => v / count ) );

	}

	return found;

}

function addTexture( glb, path ) {

	if ( ! existsSync( path ) ) return null;
	const bytes = readFileSync( path );
	const at = Math.ceil( glb.binary.length / 4 ) * 4;
	const binary = new Uint8Array( at + bytes.length );
	binary.set( glb.binary );
	binary.set( bytes, at );
	glb.binary = binary;
	const { json } = glb;
	json.bufferViews.push( { buffer: 0, byteOffset: at, byteLength: bytes.length } );
	json.images.push( { bufferView: json.bufferViews.length - 1, mimeType: 'image/png' } );
	return json.textures.push( { source: json.images.length - 1, sampler: 0 } ) - 1;

}
