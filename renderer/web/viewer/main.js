/** The page: loads the bake, and connects controls to it. */

import { MathUtils } from 'three';
import { bytesOf, loadBake } from './bake.js';
import { camerasOf, overview } from './cameras.js';
import { lightsOf } from './lights.js';
import { element, section, segments, select, slider, toggle } from './panel.js';
import { Picker } from './picker.js';
import { Mover, probeBalls } from './probe-balls.js';
import { Stage, TONE_MAPPINGS } from './stage.js';
import { Wipe } from './wipe.js';

const MODES = { sh2: [ 'SH 2', 'Spherical harmonics of order 2' ], sh1: [ 'SH 1', 'Spherical harmonics of order 1' ], directional: [ 'Direction', 'Irradiance and dominant direction' ], irradiance: [ 'Plain', 'Irradiance alone' ], off: [ 'Off', 'No baked light' ] };
const INCLUDES = { indirect: 'indirect light', direct: 'direct light', both: 'direct and indirect light' };
const at = ( id ) => document.getElementById( id );

async function start() {

	const data = globalThis.KILN_BAKE;
	if ( data === undefined ) throw new Error( 'data.js is missing.\nIt belongs in the folder of index.html and viewer.js.' );
	document.title = `${ data.title } · baked light`;
	const { gltf, lightmap, procedural, probes } = await loadBake( data );
	const stage = new Stage( at( 'canvas' ), gltf.scene );
	const lights = lightmap === null || lightmap.include === 'indirect' ? lightsOf( gltf.scene, stage.radius ) : [];
	if ( lights.length > 0 ) gltf.scene.traverse( ( node ) => {

		if ( node.isMesh && ! node.userData.kilnLight ) node.castShadow = node.receiveShadow = true;

	} );
	const own = camerasOf( gltf, data );
	const views = [ ...own, overview( gltf.scene ) ];
	const pictures = new Map( Object.entries( data.reference ?? {} ).map( ( [ name, text ] ) => [ name, URL.createObjectURL( new Blob( [ bytesOf( text ) ], { type: 'image/png' } ) ) ] ) );
	const page = { data, gltf, lightmap, procedural, probes, stage, lights, views, pictures };
	buildPanel( page );
	procedural.computed = procedural.count > 0;
	at( 'message' ).hidden = true;
	return page;

}

function buildPanel( page ) {

	const { data, lightmap, probes, lights } = page;
	const panel = at( 'panel' );
	const size = lightmap ? `${ lightmap.extras.width } × ${ lightmap.extras.height } texels${ lightmap.extras.pages ? ` · ${ lightmap.extras.pages.length } pages` : '' } · ${ INCLUDES[ lightmap.include ] }` : 'no lightmap';
	panel.append( element( 'header', {}, element( 'div', { className: 'mark', 'aria-hidden': 'true' } ), element( 'div', {}, element( 'h1', { textContent: data.title } ), element( 'p', { textContent: size } ) ) ) );
	const keys = new Map();
	if ( lightmap ) panel.append( lightSection( page, keys ) );
	panel.append( viewSection( page, keys ), pictureSection( page ) );
	if ( probes ) panel.append( probeSection( page, keys ) );
	pickObjects( page );
	keys.set( 'h', [ 'panel', togglePanel ] );
	at( 'open' ).addEventListener( 'click', togglePanel );
	panel.append( keySection( keys ), element( 'footer', { textContent: `Baked by Kiln${ lights.length > 0 ? `; ${ lights.length } real-time ${ lights.length === 1 ? 'light' : 'lights' }` : '' }` } ) );

}

function lightSection( { lightmap, procedural, lights, stage }, keys ) {

	const controls = [];
	const modes = segments( 'Baked light', lightmap.modes.map( ( mode ) => [ mode, ...MODES[ mode ] ] ), lightmap.mode, ( mode ) => {

		lightmap.setMode( mode ).catch( fail ).finally( () => {

			modes.set( lightmap.mode );
			stage.invalidate();

		} );

	} );
	controls.push( modes.field );
	lightmap.modes.forEach( ( mode, index ) => keys.set( String( index + 1 ), [ MODES[ mode ][ 0 ], () => modes.choose( mode ) ] ) );
	if ( lights.length > 0 ) {

		const shown = segments( 'Light', [ [ 'both', 'Both' ], [ 'indirect', 'Indirect' ], [ 'direct', 'Direct' ] ], 'both', ( which ) => {

			for ( const light of lights ) light.visible = which !== 'indirect';
			lightmap.intensity = which === 'direct' ? 0 : 1;
			stage.invalidate();

		} );
		controls.push( shown.field );
		keys.set( 'l', [ 'indirect, direct or both', () => next( shown ) ] );

	}

	const maps = toggle( 'Normal maps', true, ( on ) => {

		lightmap.normalMaps = procedural.normalMaps = on;
		setNormalMaps( lightmap, on );
		stage.invalidate();

	} );
	if ( hasNormalMaps( lightmap ) ) {

		controls.push( maps.field );
		keys.set( 'n', [ 'normal maps', () => maps.input.click() ] );

	}

	return section( 'Light', ...controls );

}

function viewSection( page, keys ) {

	const { lightmap, procedural, stage, views, pictures } = page;
	const controls = [];
	if ( lightmap ) {

		const show = segments( 'Surface', [ [ 'material', 'Material' ], [ 'clay', 'Clay', 'White surfaces' ], [ 'light', 'Light', 'Irradiance over π' ], [ 'texels', 'Texels', 'Texels of the lightmap; colours change every 16' ] ], 'material', ( value ) => {

			lightmap.show = value;
			stage.invalidate();

		} );
		controls.push( show.field );
		keys.set( 'm', [ 'surface', () => next( show ) ] );

	}

	if ( procedural.count > 0 ) {

		const materials = segments( 'Patterns of materials', [ [ 'computed', 'Procedural', 'Computed for each pixel' ], [ 'baked', 'Baked', 'Textures in the coordinates of the lightmap' ] ], 'computed', ( value ) => {

			procedural.computed = value === 'computed';
			stage.invalidate();

		} );
		controls.push( materials.field );
		keys.set( 't', [ 'procedural or baked', () => next( materials ) ] );

	}

	const wipe = new Wipe( stage, pictures, at( 'view' ) );
	let view = views[ 0 ];
	const compare = segments( 'Path-traced picture', [ [ 'off', 'Off' ], [ 'wipe', 'Wipe' ], [ 'flip', 'Whole' ] ], 'off', ( mode ) => {

		if ( mode !== 'off' ) look( view.name );
		wipe.set( mode, view );

	} );
	const leave = () => {

		wipe.set( 'off', view );
		compare.set( 'off' );

	};

	const look = ( name ) => {

		view = views.find( ( one ) => one.name === name );
		stage._moved = false;
		stage.look( view );
		compare.field.hidden = ! wipe.has( view );
		const looked = view;
		if ( ! view.target ) wipe.find( view ).then( ( found ) => looked === view && ( compare.field.hidden = ! found ) );

	};

	const cameras = select( 'Camera', views.map( ( { name } ) => [ name, name ] ), view.name, ( name ) => {

		leave();
		look( name );

	} );
	stage.addEventListener( 'orbit', () => {

		stage.free();
		if ( wipe.mode !== 'off' ) leave();

	} );
	controls.push( cameras.field, compare.field );
	keys.set( 'c', [ 'next camera', () => {

		const index = ( views.indexOf( view ) + 1 ) % views.length;
		cameras.set( views[ index ].name );
		leave();
		look( views[ index ].name );

	} ] );
	keys.set( 'w', [ 'path-traced picture', () => ! compare.field.hidden && next( compare ) ] );
	look( view.name );
	return section( 'View', ...controls );

}

function pictureSection( { stage } ) {

	const exposure = slider( 'Exposure', { min: - 6, max: 6, step: 0.05, value: 0, unit: ( v ) => `${ v > 0 ? '+' : '' }${ v.toFixed( 2 ) } EV` }, ( v ) => ( stage.exposure = v ) );
	const tone = select( 'Tone mapping', Object.entries( TONE_MAPPINGS ).map( ( [ name, [ text ] ] ) => [ name, text ] ), 'none', ( name ) => ( stage.toneMapping = name ) );
	stage.toneMapping = 'none';
	return section( 'Picture', exposure.field, tone.field );

}

function probeSection( { stage, probes }, keys ) {

	const spacing = probes.grid ? Math.min( ...[ probes.grid.spacing ].flat() ) : stage.radius * 0.1;
	const balls = probeBalls( probes, Math.min( 0.14 * spacing, 0.03 * stage.radius ) );
	stage.scene.add( balls );
	const mover = new Mover( stage, probes );
	const show = toggle( 'Show probes', false, ( on ) => {

		balls.visible = on;
		stage.invalidate();

	} );
	const ball = segments( 'Probe-lit ball', [ [ 'off', 'Off' ], [ 'still', 'Drag' ], [ 'circle', 'Circle' ] ], 'off', ( mode ) => {

		mover.ball.visible = mode !== 'off';
		mover.circles = mode === 'circle';
		stage.invalidate();

	} );
	mover.dispatch = () => ball.set( 'still' );
	const metal = toggle( 'Metal', false, ( on ) => {

		Object.assign( mover.ball.material, on ? { metalness: 1, roughness: 0.25 } : { metalness: 0, roughness: 0.45 } );
		stage.invalidate();

	} );
	keys.set( 'p', [ 'probes', () => show.input.click() ] );
	keys.set( 'b', [ 'ball', () => next( ball ) ] );
	return section( `${ probes.positions.length.toLocaleString( 'en' ) } probes`, show.field, ball.field, metal.field );

}

function keySection( keys ) {

	const list = element( 'dl', { className: 'keys' } );
	for ( const [ key, [ text ] ] of keys ) list.append( element( 'dt', {}, element( 'kbd', { textContent: key.toUpperCase() } ) ), element( 'dd', { textContent: text } ) );
	list.append( element( 'dt', {}, element( 'kbd', { textContent: '← → ↑ ↓' } ) ), element( 'dd', { textContent: 'move; with Shift turn' } ) );
	addEventListener( 'keydown', ( event ) => {

		if ( event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.( 'select' ) ) return;
		const action = keys.get( event.key.toLowerCase() );
		if ( action ) action[ 1 ]();

	} );
	const keyboard = section( 'Keys', list );
	keyboard.classList.add( 'keyboard' );
	return keyboard;

}

function pickObjects( { stage, lightmap } ) {

	const info = at( 'info' );
	const picker = new Picker( stage, lightmap, ( rows ) => {

		info.hidden = rows === null;
		info.replaceChildren( ...( rows ?? [] ).flatMap( ( [ name, text ] ) => [ element( 'dt', { textContent: name } ), element( 'dd', { textContent: text } ) ] ) );

	} );
	addEventListener( 'keydown', ( event ) => event.key === 'Escape' && picker.clear() );

}

function togglePanel() {

	const closed = document.body.classList.toggle( 'closed' );
	at( 'open' ).setAttribute( 'aria-expanded', String( ! closed ) );

}

/** Chooses the next of some segments. */
function next( { row, choose } ) {

	const values = [ ...row.querySelectorAll( 'input' ) ];
	choose( values[ ( values.findIndex( ( input ) => input.checked ) + 1 ) % values.length ].value );

}

function hasNormalMaps( lightmap ) {

	return [ ...lightmap.materials.keys() ].some( ( material ) => material.normalMap || material.bumpMap );

}

/** Real-time light follows the switch, too. */
function setNormalMaps( lightmap, on ) {

	for ( const [ material, { original } ] of lightmap.materials ) {

		if ( material.normalScale ) material.normalScale.copy( original.normalScale ).multiplyScalar( on ? 1 : 0 );
		if ( material.bumpScale !== undefined ) material.bumpScale = on ? original.bumpScale : 0;

	}

}

function fail( error ) {

	console.error( error );
	const message = at( 'message' );
	message.hidden = false;
	message.textContent = String( error?.message ?? error );

}

/** For tests and scripts: `await kilnViewer.ready`, then `look`, `capture`. */
globalThis.kilnViewer = { ready: start(), degrees: MathUtils.radToDeg };
globalThis.kilnViewer.ready.catch( fail );
