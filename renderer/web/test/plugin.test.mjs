/** The plugin on models whose light is known: what a pixel shows is compared with the formula. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeViewer } from '../pack.mjs';
import { capture, hasBrowser, withPage } from './browser.mjs';
import { exrOf } from './exr-file.mjs';
import { lookAt } from './camera.mjs';
import { squares } from './model.mjs';
import { pngOf } from './picture.mjs';

const skip = ! hasBrowser();
const SIZE = 32;
const [ WIDTH, HEIGHT ] = [ 64, 32 ];
const whole = { offset: [ 0, 0 ], scale: [ 1, 1 ] };
const lit = ( place, texCoord = 1 ) => ( { extras: { lightmap: { texCoord, primitives: [ place ] } } } );
/** The irradiance of a map: red grows with u, green with v (down). */
const ramp = exrOf( SIZE, SIZE, { R: ( x ) => ( x + 0.5 ) / SIZE, G: ( _, y ) => ( y + 0.5 ) / SIZE, B: () => 2 } );

let folder;
before( () => ( folder = mkdtempSync( join( tmpdir(), 'kiln-plugin-' ) ) ) );
after( () => rmSync( folder, { recursive: true, force: true } ) );

/** Shows a model and gives `use` a function that samples the colour at a point of the plane z = 0. */
async function shown( model, files, use, { from = [ 0, 0, 5 ], options = {} } = {} ) {

	const camera = lookAt( 'main', from, [ 0, 0, 0 ], 2 * Math.atan( 4 / 5 ) * 180 / Math.PI, WIDTH / HEIGHT );
	writeViewer( folder, { title: 'test', model, files: new Map( Object.entries( files ) ), cameras: [ camera ] } );
	const { complaints } = await withPage( join( folder, 'index.html' ), async ( page ) => {

		const look = async ( more = {} ) => {

			const pixels = await capture( page, 'main', WIDTH, HEIGHT, { ...options, ...more } );
			return ( x, y ) => {

				// The view is 8 wide and 4 high.
				const column = Math.floor( ( Math.sign( from[ 2 ] ) * x + 4 ) * WIDTH / 8 );
				const row = Math.floor( ( 2 - y ) * HEIGHT / 4 );
				return pixels.subarray( 4 * ( row * WIDTH + column ), 4 * ( row * WIDTH + column ) + 3 );

			};

		};

		await use( look, page );

	} );
	return complaints;

}

function near( actual, expected, tolerance = 0.01 ) {

	expected.forEach( ( v, lane ) => assert.ok( Math.abs( actual[ lane ] - v ) <= tolerance * Math.max( 1, Math.abs( v ) ), `${ [ ...actual ] } is not ${ expected }` ) );

}

/** What a grey surface of albedo 0.5 shows of irradiance. */
const grey = ( irradiance ) => irradiance.map( ( v ) => v * 0.5 / Math.PI );

test( 'nodes that share a mesh and a material have their own rectangles', { skip }, async () => {

	for ( const set of [ 1, 2, 3 ] ) {

		const left = { offset: [ 0, 0 ], scale: [ 0.5, 0.5 ] };
		const right = { offset: [ 0.5, 0.5 ], scale: [ 0.5, 0.5 ] };
		const model = squares( {
			nodes: [ { translation: [ - 2, 0, 0 ], ...lit( left, set ) }, { translation: [ 2, 0, 0 ], ...lit( right, set ) } ], sets: set + 1, lightmap: {},
		} );
		const complaints = await shown( model, { 'irradiance.exr': ramp }, async ( look ) => {

			const at = await look();
			near( at( - 2, 0 ), grey( [ 0.25, 0.25, 2 ] ) );
			near( at( 2, 0 ), grey( [ 0.75, 0.75, 2 ] ) );
			// v runs down: above the middle it is less.
			near( at( 2, 0.5 ), grey( [ 0.75, 0.625, 2 ] ) );
			near( at( 2.5, 0 ), grey( [ 0.875, 0.75, 2 ] ) );
			near( ( await look( { mode: 'off' } ) )( 2, 0 ), [ 0, 0, 0 ] );

		} );
		assert.deepEqual( complaints, [] );

	}

} );

test( 'backs of two-sided surfaces have their own rectangle', { skip }, async () => {

	const place = { offset: [ 0, 0 ], scale: [ 0.25, 0.25 ], back: { offset: [ 0.5, 0.5 ], scale: [ 0.5, 0.5 ] } };
	for ( const material of [ {}, { alphaMode: 'BLEND' } ] ) {

		const model = squares( { nodes: [ lit( place ) ], lightmap: {}, material: { doubleSided: true, ...material } } );
		await shown( model, { 'irradiance.exr': ramp }, async ( look ) => near( ( await look() )( 0, 0 ), grey( [ 0.125, 0.125, 2 ] ) ) );
		await shown( model, { 'irradiance.exr': ramp }, async ( look ) => near( ( await look() )( 0, 0 ), grey( [ 0.75, 0.75, 2 ] ) ), { from: [ 0, 0, - 5 ] } );

	}

} );

test( 'instances have their own rectangles, and none if they are not baked', { skip }, async () => {

	const instance = ( offset ) => ( { offset, scale: [ 0.25, 0.25 ] } );
	const place = { ...whole, instances: [ instance( [ 0, 0 ] ), instance( [ 0.5, 0.25 ] ), null ] };
	const model = squares( { nodes: [ lit( place ) ], lightmap: {}, instances: [ [ - 2.5, 0, 0 ], [ 0, 0, 0 ], [ 2.5, 0, 0 ] ] } );
	const complaints = await shown( model, { 'irradiance.exr': ramp }, async ( look ) => {

		const at = await look();
		near( at( - 2.5, 0 ), grey( [ 0.125, 0.125, 2 ] ) );
		near( at( 0, 0 ), grey( [ 0.625, 0.375, 2 ] ) );
		near( at( 2.5, 0 ), [ 0, 0, 0 ] );

	} );
	assert.deepEqual( complaints, [] );

} );

test( 'a lightmap has several pages, of all modes', { skip }, async () => {

	const flat = ( [ R, G, B, A ] ) => exrOf( SIZE, SIZE, { R: () => R, G: () => G, B: () => B, ...( A === undefined ? {} : { A: () => A } ) } );
	const light = [ [ 1, 2, 3 ], [ 3, 1, 0.5 ], [ 0.25, 0.5, 0.75 ] ];
	const files = {};
	const pages = light.map( ( irradiance, page ) => {

		const at = ( name ) => `${ name }.${ page }.exr`;
		Object.assign( files, { [ at( 'irradiance' ) ]: flat( irradiance ), [ at( 'direction' ) ]: flat( [ 0, 0, 1, 0 ] ), [ at( 'color' ) ]: flat( [ 0, 0, 0 ] ) } );
		for ( const tone of 'rgb' ) files[ at( `sh_${ tone }` ) ] = flat( [ 1, 0, 0, 0 ] );
		return { irradiance: at( 'irradiance' ), direction: at( 'direction' ), color: at( 'color' ), sh: { order: 1, layout: 'rgba', files: [ ...'rgb' ].map( ( tone ) => at( `sh_${ tone }` ) ) } };

	} );
	const lightmap = { version: 2, pages };
	const node = ( x, page, back ) => ( { translation: [ x, 0, 0 ], ...lit( { ...whole, page, ...( back === undefined ? {} : { back: { ...whole, page: back } } ) } ) } );
	const apart = squares( { nodes: [ node( - 2.5, 2 ), node( 0, 0 ), node( 2.5, 1 ) ], lightmap } );
	const complaints = await shown( apart, files, async ( look ) => {

		for ( const mode of [ 'irradiance', 'directional', 'sh1' ] ) {

			const at = await look( { mode } );
			[ 2, 0, 1 ].forEach( ( page, index ) => near( at( 2.5 * index - 2.5, 0 ), grey( light[ page ] ) ) );

		}

	} );
	assert.deepEqual( complaints, [] );
	const sheet = squares( { nodes: [ node( 0, 1, 2 ) ], lightmap, material: { doubleSided: true } } );
	await shown( sheet, files, async ( look ) => near( ( await look() )( 0, 0 ), grey( light[ 1 ] ) ) );
	await shown( sheet, files, async ( look ) => near( ( await look() )( 0, 0 ), grey( light[ 2 ] ) ), { from: [ 0, 0, - 5 ] } );
	const place = { ...whole, instances: [ { ...whole, page: 2 }, { ...whole, page: 1 }, null ] };
	const instanced = squares( { nodes: [ lit( place ) ], lightmap, instances: [ [ - 2.5, 0, 0 ], [ 0, 0, 0 ], [ 2.5, 0, 0 ] ] } );
	await shown( instanced, files, async ( look ) => {

		const at = await look();
		near( at( - 2.5, 0 ), grey( light[ 2 ] ) );
		near( at( 0, 0 ), grey( light[ 1 ] ) );

	} );

} );

/** The basis of the harmonics, and what the cosine leaves of each. */
const basis = ( [ x, y, z ] ) => [
	0.282095, 0.488603 * y, 0.488603 * z, 0.488603 * x, 1.092548 * x * y, 1.092548 * y * z, 0.315392 * ( 3 * z * z - 1 ), 1.092548 * x * z, 0.546274 * ( x * x - y * y ),
];
const COSINE = [ Math.PI, ...Array( 3 ).fill( 2 * Math.PI / 3 ), ...Array( 5 ).fill( Math.PI / 4 ) ];
const NAMES = [ 'L00', 'L1m1', 'L10', 'L11', 'L2m2', 'L2m1', 'L20', 'L21', 'L22' ];

/** The files of a layout for harmonics that are the same everywhere. */
function harmonicsFiles( layout, order, coefficients ) {

	const count = order === 2 ? 9 : 4;
	const flat = ( channels ) => exrOf( SIZE, SIZE, Object.fromEntries( Object.entries( channels ).map( ( [ name, value ] ) => [ name, () => value ] ) ) );
	const value = ( index, lane ) => index < count ? coefficients[ index ][ lane ] : 0;
	const luminance = ( index ) => index < count ? 0.2126 * value( index, 0 ) + 0.7152 * value( index, 1 ) + 0.0722 * value( index, 2 ) : 0;
	const files = {};
	for ( const [ lane, tone ] of [ 'r', 'g', 'b' ].entries() ) {

		if ( layout === 'channels' ) files[ `sh_${ tone }.exr` ] = flat( Object.fromEntries( NAMES.slice( 0, count ).map( ( name, index ) => [ name, value( index, lane ) ] ) ) );
		for ( let part = 0; layout === 'rgba' && 4 * part < count; part ++ ) {

			const [ R, G, B, A ] = [ 0, 1, 2, 3 ].map( ( i ) => value( 4 * part + i, lane ) );
			files[ part === 0 ? `sh_${ tone }.exr` : `sh_${ tone }_${ part + 1 }.exr` ] = flat( { R, G, B, A } );

		}

	}

	for ( let index = 0; layout === 'coefficients' && index < count; index ++ ) {

		const [ R, G, B ] = coefficients[ index ];
		files[ `sh_${ NAMES[ index ] }.exr` ] = flat( { R, G, B } );

	}

	if ( layout === 'packed' ) {

		files[ 'sh_0.exr' ] = flat( { R: value( 0, 0 ), G: value( 0, 1 ), B: value( 0, 2 ), A: 1 } );
		for ( let part = 0; 1 + 4 * part < count; part ++ ) {

			const [ R, G, B, A ] = [ 1, 2, 3, 4 ].map( ( i ) => luminance( 4 * part + i ) );
			files[ `sh_${ part + 1 }.exr` ] = flat( { R, G, B, A } );

		}

	}

	return files;

}

test( 'harmonics of all layouts and orders light normal maps', { skip }, async () => {

	// Light of one tint, so that the packed layout, which has colour in its first coefficient alone, is exact, too.
	const tint = [ 1, 0.5, 0.25 ];
	const toward = [ 0.48, 0.6, 0.64 ];
	const coefficients = basis( toward ).map( ( y ) => tint.map( ( v ) => v * y ) );
	const normal = [ 0.6, 0, 0.8 ];
	const map = pngOf( 1, 1, () => normal.map( ( v ) => Math.round( 255 * ( 0.5 + 0.5 * v ) ) ) );
	const irradiance = [ 1, 0.5, 0.25 ];
	const at = ( n, count ) => COSINE.slice( 0, count ).reduce( ( sum, factor, i ) => sum + factor * basis( n )[ i ] * basis( toward )[ i ], 0 );
	for ( const layout of [ 'rgba', 'channels', 'coefficients', 'packed' ] ) for ( const order of [ 1, 2 ] ) {

		const files = harmonicsFiles( layout, order, coefficients );
		const model = squares( {
			nodes: [ lit( whole ) ], images: [ map ], material: { normalTexture: { index: 0, texCoord: 1 } },
			lightmap: { sh: { order, layout, files: Object.keys( files ) } },
		} );
		files[ 'irradiance.exr' ] = exrOf( SIZE, SIZE, { R: () => irradiance[ 0 ], G: () => irradiance[ 1 ], B: () => irradiance[ 2 ] } );
		const complaints = await shown( model, files, async ( look, page ) => {

			for ( const mode of order === 2 ? [ 'sh2', 'sh1' ] : [ 'sh1' ] ) {

				const count = mode === 'sh2' ? 9 : 4;
				const change = at( normal, count ) - at( [ 0, 0, 1 ], count );
				near( ( await look( { mode } ) )( 0.3, 0.3 ), grey( irradiance.map( ( v, lane ) => v + change * tint[ lane ] ) ) );

			}

			await page.evaluate( async () => ( ( await globalThis.kilnViewer.ready ).lightmap.normalMaps = false ) );
			near( ( await look() )( 0.3, 0.3 ), grey( irradiance ) );

		} );
		assert.deepEqual( complaints, [], `${ layout } ${ order }` );

	}

} );

test( 'metals reflect harmonics of a uniform sky as a uniform sky', { skip }, async () => {

	// Of the half-space above: its second band is zero.
	const sky = [ 2 * Math.PI * 0.282095, 0, Math.PI * 0.488603, 0, 0, 0, 0, 0, 0 ].map( ( v ) => [ v, v, v ] );
	const files = harmonicsFiles( 'rgba', 2, sky );
	const model = squares( {
		nodes: [ lit( whole ) ], material: { pbrMetallicRoughness: { baseColorFactor: [ 1, 1, 1, 1 ], metallicFactor: 1, roughnessFactor: 0.1 } },
		lightmap: { sh: { order: 2, layout: 'rgba', files: Object.keys( files ) } },
	} );
	files[ 'irradiance.exr' ] = exrOf( SIZE, SIZE, { R: () => Math.PI, G: () => Math.PI, B: () => Math.PI } );
	await shown( model, files, async ( look ) => near( ( await look( { mode: 'sh2' } ) )( 0.3, 0.3 ), [ 1, 1, 1 ], 0.02 ) );

} );

test( 'the dominant direction lights normal maps', { skip }, async () => {

	const normal = [ 0.6, 0, 0.8 ];
	const map = pngOf( 1, 1, () => normal.map( ( v ) => Math.round( 255 * ( 0.5 + 0.5 * v ) ) ) );
	const toward = [ 0.8, 0, 0.6 ];
	const flat = ( [ R, G, B, A ] ) => exrOf( SIZE, SIZE, { R: () => R, G: () => G, B: () => B, ...( A === undefined ? {} : { A: () => A } ) } );
	const files = { 'irradiance.exr': flat( [ 1, 1, 1 ] ), 'direction.exr': flat( [ ...toward, 0.5 ] ), 'color.exr': flat( [ 1, 0.5, 0.25 ] ) };
	const model = squares( { nodes: [ lit( whole ) ], images: [ map ], material: { normalTexture: { index: 0, texCoord: 1 } }, lightmap: { direction: 'direction.exr', color: 'color.exr' } } );
	await shown( model, files, async ( look ) => {

		const cosine = 0.6 * 0.8 + 0.8 * 0.6;
		near( ( await look( { mode: 'directional' } ) )( 0.3, 0.3 ), grey( [ 1, 0.5, 0.25 ].map( ( v ) => 1 - 0.6 * v + cosine * v ) ) );

	} );

} );

test( 'floats that halves cannot hold are shown', { skip }, async () => {

	const bright = exrOf( SIZE, SIZE, { R: () => 1e6, G: () => 2e5, B: () => 1e-3 }, { half: false } );
	const model = squares( { nodes: [ lit( whole ) ], lightmap: {} } );
	await shown( model, { 'irradiance.exr': bright }, async ( look ) => near( ( await look() )( 0, 0 ), grey( [ 1e6, 2e5, 1e-3 ] ) ) );

} );

test( 'the 8-bit image stands in for missing files', { skip }, async () => {

	const image = pngOf( 4, 4, () => [ 188, 255, 0 ] );
	const model = squares( { nodes: [ lit( whole ) ], images: [ image ], lightmap: { range: { texture: 0, intensity: 8 } } } );
	const complaints = await shown( model, {}, async ( look ) => near( ( await look( { mode: undefined } ) )( 0, 0 ), grey( [ 8 * 0.5029, 8, 0 ] ) ) );
	assert.equal( complaints.length, 1 );
	assert.match( complaints[ 0 ], /irradiance\.exr.*8-bit/ );

} );

test( 'probes light what moves', { skip }, async () => {

	const probe = ( position, light, valid = true ) => ( { position, valid, openness: 1, coefficients: [ light.map( ( v ) => v / 0.282095 ), ...Array( 3 ).fill( [ 0, 0, 0 ] ) ] } );
	const grid = { origin: [ - 2, - 2, - 2 ], spacing: 4, counts: [ 2, 2, 2 ], order: '' };
	const probes = [];
	for ( const z of [ - 2, 2 ] ) for ( const y of [ - 2, 2 ] ) for ( const x of [ - 2, 2 ] ) probes.push( probe( [ x, y, z ], [ x + 2, 1, 0 ], ! ( z === 2 && y === 2 ) ) );
	const model = squares( { nodes: [ lit( whole ) ], lightmap: {} } );
	const files = { 'irradiance.exr': ramp, 'probes.json': Buffer.from( JSON.stringify( { grid, probes } ) ) };
	await shown( model, files, async ( _, page ) => {

		const sampled = await page.evaluate( async () => {

			const { probes, stage } = await globalThis.kilnViewer.ready;
			const point = stage.camera.position.clone();
			return [ [ 0, 0, 0 ], [ 1, 0, 1.9 ], [ - 9, 2, 2 ] ].map( ( at ) => probes.sample( point.fromArray( at ) )[ 0 ].toArray().map( ( v ) => v * 0.282095 ) );

		} );
		// Those in solids take what is around them: here the grid stays linear along x but for them.
		near( sampled[ 0 ].slice( 1 ), [ 1, 0 ] );
		near( sampled[ 1 ].slice( 1 ), [ 1, 0 ] );
		near( sampled[ 0 ], [ 2, 1, 0 ], 0.1 );
		near( sampled[ 2 ], [ 0, 1, 0 ], 0.1 );

	} );

} );
