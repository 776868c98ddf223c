/** KTX2 files of a bake, read by three.js's own reader: the same light as in the EXR files. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
import { LightmapTextures } from '../lib/textures.js';

const ROOT = join( dirname( fileURLToPath( import.meta.url ) ), '../../..' );
const KILN = process.env.KILN ?? join( ROOT, 'target/release/kiln' );
const skip = ! existsSync( KILN ) && 'there is no kiln: cargo build --release';
const DESK = mkdtempSync( join( tmpdir(), 'kiln-ktx2-' ) );
after( () => rmSync( DESK, { recursive: true, force: true } ) );

/** What `extras.lightmap` says of a bake of order 1. */
const EXTRAS = {
	irradiance: 'irradiance.exr', direction: 'direction.exr', color: 'color.exr',
	sh: { order: 1, layout: 'rgba', files: [ 'sh_r.exr', 'sh_g.exr', 'sh_b.exr' ] },
};

/** The loader, without a graphics card to ask for formats of blocks. */
function ktx2Loader() {

	const loader = new KTX2Loader();
	loader.workerConfig = {};
	return loader;

}

test( 'KTX2Loader reads what the EXR files hold', { skip }, async () => {

	const sizes = {};
	for ( const format of [ 'ktx2', 'ktx2-zstd' ] ) {

		const folder = join( DESK, format );
		const scene = join( ROOT, 'scenes/cornell_box.kiln' );
		const settings = [ '--resolution', '64', '--samples', '4', '--integrator', 'path', '--image-format', format, '--quiet' ];
		const { status, stderr } = spawnSync( KILN, [ 'bake', scene, '-o', folder, ...settings ], { encoding: 'utf8' } );
		assert.equal( status, 0, stderr );
		sizes[ format ] = statSync( join( folder, 'irradiance.ktx2' ) ).size;
		const load = async ( name ) => {

			const bytes = readFileSync( join( folder, name ) );
			return bytes.buffer.slice( bytes.byteOffset, bytes.byteOffset + bytes.length );

		};

		const [ exr, ktx2 ] = [ {}, { ktx2Loader: ktx2Loader() } ].map( ( loaders ) => new LightmapTextures( EXTRAS, load, loaders ) );
		for ( const mode of [ 'irradiance', 'directional', 'sh1' ] ) {

			const [ expected, found ] = [ await exr.texture( mode ), await ktx2.texture( mode ) ];
			assert.deepEqual( found.texture.image, expected.texture.image, `${ format } ${ mode }` );

		}

	}

	assert.ok( sizes[ 'ktx2-zstd' ] < 0.8 * sizes.ktx2, JSON.stringify( sizes ) );

} );
