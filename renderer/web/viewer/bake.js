/** The bake that the page shows: `KILN_BAKE` of `data.js`. */

import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { KilnLightmap } from '../kiln-lightmap.js';
import { ProceduralMaterials } from '../lib/procedural.js';

/** Bytes of a text in base64. */
export function bytesOf( text ) {

	if ( Uint8Array.fromBase64 ) return Uint8Array.fromBase64( text );
	const binary = atob( text );
	const bytes = new Uint8Array( binary.length );
	for ( let i = 0; i < binary.length; i ++ ) bytes[ i ] = binary.charCodeAt( i );
	return bytes;

}

/** Loads the model with its lightmap, programs of its materials, and probes. */
export async function loadBake( data ) {

	const files = data.files ?? {};
	const load = async ( name ) => {

		if ( files[ name ] === undefined ) throw new Error( `data.js has no ${ name }` );
		return bytesOf( files[ name ] ).buffer;

	};

	const loader = new GLTFLoader();
	loader.register( ( parser ) => new KilnLightmap( parser, { load } ) );
	const gltf = await loader.parseAsync( bytesOf( data.model ).buffer, '' );
	const lightmap = gltf.userData.kilnLightmap ?? null;
	const probes = lightmap && files[ 'probes.json' ] ? await lightmap.loadProbes() : null;
	const procedural = new ProceduralMaterials( gltf, lightmap, data.shaders ?? {} );
	return { gltf, lightmap, procedural, probes };

}
