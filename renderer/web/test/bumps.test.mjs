/**
 * Bumps under baked harmonics: the viewer beside `kiln render` with the unit `lightmap_sh`, which reads the same files,
 * and beside a path-traced picture. `KILN` and `KILN_KEEP` as in bakes.test.mjs.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { capture, hasBrowser, withPage } from './browser.mjs';
import { means, readPicture, writePng } from './picture.mjs';

const KILN = process.env.KILN ?? join( dirname( fileURLToPath( import.meta.url ) ), '../../../target/release/kiln' );
const skip = ! hasBrowser() || ( ! existsSync( KILN ) && 'there is no kiln: cargo build --release' );
const DESK = process.env.KILN_KEEP ?? mkdtempSync( join( tmpdir(), 'kiln-bumps-' ) );
mkdirSync( DESK, { recursive: true } );
after( () => process.env.KILN_KEEP ?? rmSync( DESK, { recursive: true, force: true } ) );

/** Ripples on a floor and dents in a wall, lit from one side. */
const PICTURE = `
film { size = (240, 160); filter = box; }
camera main : perspective { from = (0.3, 2.2, 3.6); to = (0, 0.5, 0); fov = 55; }
`;
const SCENE = `${ PICTURE }
group ripples(output closure color surface)
{
    bump_waves waves(first = point(-1, 0, -1), second = point(1.5, 0, 0.5), frequency = 14, amount = 0.5);
    matte      body(albedo = (0.7, 0.6, 0.5), n = waves.n);
    surface = body.surface;
}
group dents(output closure color surface)
{
    bump_noise dents(scale = 5, amount = 0.25);
    matte      body(albedo = (0.4, 0.6, 0.7), n = dents.n);
    surface = body.surface;
}
material floor = ripples();
material back  = dents();
material lamp  = emitter(radiance = (12, 11, 9));
light sky : environment { color = (0.25, 0.3, 0.4); }
shape floor : rectangle { size = (4, 3); material = floor; transform = rotate((1, 0, 0), -90); }
shape back  : rectangle { size = (4, 2); material = back; transform = translate(0, 1, -1.5); }
shape lamp  : rectangle { size = (1, 1); material = lamp; transform = translate(-2.6, 1.6, 0.3) * rotate((0, 1, 0), 90) * rotate((1, 0, 0), 25); }
`;
const SHOWN = `${ PICTURE }
import "bumps/scene.glb" as room;
group ripples(output closure color surface)
{
    bump_waves  waves(first = point(-1, 0, -1), second = point(1.5, 0, 0.5), frequency = 14, amount = 0.5);
    lightmap_sh lit(albedo = (0.7, 0.6, 0.5), folder = "bumps", order = 2, n = waves.n);
    surface = lit.surface;
}
group dents(output closure color surface)
{
    bump_noise  dents(scale = 5, amount = 0.25);
    lightmap_sh lit(albedo = (0.4, 0.6, 0.7), folder = "bumps", order = 2, n = dents.n);
    surface = lit.surface;
}
assign room.floor = ripples();
assign room.back  = dents();
`;

function kiln( ...args ) {

	const { status, stderr } = spawnSync( KILN, [ ...args, '--quiet' ], { cwd: DESK, encoding: 'utf8' } );
	assert.equal( status, 0, `kiln ${ args.join( ' ' ) }: ${ stderr }` );

}

/** The root of the mean squared difference by the mean of the reference, where `use` says so. */
function difference( pixels, reference, use ) {

	let [ sum, total, count ] = [ 0, 0, 0 ];
	for ( let i = 0; i < pixels.length; i ++ ) {

		if ( i % 4 === 3 || ! use( i >> 2 ) ) continue;
		sum += ( pixels[ i ] - reference[ i ] ) ** 2;
		total += reference[ i ];
		count ++;

	}

	return Math.sqrt( sum / count ) / ( total / count );

}

test( 'bumps respond to harmonics as in lightmap_sh', { skip }, async ( t ) => {

	writeFileSync( join( DESK, 'bumps.kiln' ), SCENE );
	writeFileSync( join( DESK, 'shown.kiln' ), SHOWN );
	kiln( 'bake', 'bumps.kiln', '-o', 'bumps', '--include', 'both', '--resolution', '128', '--samples', '256', '--order', '2', '--layout', 'coefficients', '--viewer' );
	kiln( 'render', 'shown.kiln', '--spp', '16', '--depth', '2', '-o', 'bumps_shown.exr' );
	kiln( 'render', 'bumps.kiln', '--spp', '128', '-o', 'bumps_traced.exr' );
	const [ shown, traced ] = [ await readPicture( join( DESK, 'bumps_shown.exr' ) ), await readPicture( join( DESK, 'bumps_traced.exr' ) ) ];
	const { width, height } = shown;
	const { complaints } = await withPage( join( DESK, 'bumps/index.html' ), async ( page ) => {

		const picture = ( mode, normalMaps ) => page.evaluate( async ( on ) => {

			const { lightmap, procedural } = await globalThis.kilnViewer.ready;
			lightmap.normalMaps = procedural.normalMaps = on;

		}, normalMaps ).then( () => capture( page, 'main', width, height, { mode, computed: true, frames: 8 } ) );
		const bumpy = await picture( 'sh2', true );
		const flat = await picture( 'sh2', false );
		for ( const [ name, pixels ] of Object.entries( { sh2: bumpy, flat, shown: shown.pixels, traced: traced.pixels } ) ) writePng( join( DESK, `bumps_${ name }.png` ), width, height, pixels );
		// Surfaces that the bake has, without their edges.
		const there = ( i ) => bumpy[ 4 * i + 3 ] > 0.999 && shown.pixels[ 4 * i ] > 0 && bumpy[ 4 * i ] < 3;
		const use = ( i ) => [ 0, - 1, 1, - width, width ].every( ( step ) => there( i + step ) );
		const line = [ [ 'lightmap_sh', bumpy, shown ], [ 'path tracing', bumpy, traced ], [ 'lightmap_sh without bumps', flat, shown ] ].map( ( [ name, pixels, reference ] ) => {

			const { error } = means( pixels, reference.pixels, use );
			return { name, error, rms: difference( pixels, reference.pixels, use ) };

		} );
		for ( const { name, error, rms } of line ) t.diagnostic( `against ${ name }: mean ${ ( 100 * error ).toFixed( 1 ) } %, RMSE ${ ( 100 * rms ).toFixed( 1 ) } % of the mean` );
		assert.ok( Math.abs( line[ 0 ].error ) < 0.02 && line[ 0 ].rms < 0.05, 'differs from lightmap_sh' );
		assert.ok( line[ 2 ].rms > 3 * line[ 0 ].rms, 'the bumps do not matter' );

	} );
	assert.deepEqual( complaints, [] );

} );
