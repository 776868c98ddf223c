/**
 * The textures of a lightmap. Each mode needs one array texture of half floats, so that baked light takes a single
 * texture unit of the sixteen that a shader may have. Row 0 is on top, where glTF has v = 0. The layers of all pages are in
 * it, page by page.
 */

import { DataArrayTexture, DataUtils, HalfFloatType, LinearFilter, NoColorSpace, RGBAFormat } from 'three';
import { readExr, UnsupportedExr } from './exr.js';

const ONE = DataUtils.toHalfFloat( 1 );
const NAMES = [ 'L00', 'L1m1', 'L10', 'L11', 'L2m2', 'L2m1', 'L20', 'L21', 'L22' ];
/** Values of halves are brought below this. */
const GREATEST = 4096;

/** Loads and keeps the textures of a lightmap. */
export class LightmapTextures {

	/**
	 * @param {Object} extras `extras.lightmap` of the file
	 * @param {(name: string) => Promise<ArrayBuffer>} load
	 * @param {{ exrLoader?: EXRLoader, ktx2Loader?: KTX2Loader }} loaders for images with compressions that Kiln does not
	 * write; for those of `--image-format ktx2`
	 */
	constructor( extras, load, { exrLoader, ktx2Loader } = {} ) {

		this.extras = extras;
		/** What is said of each page. */
		this.pages = extras.pages ?? [ extras ];
		this.load = load;
		this.exrLoader = exrLoader;
		this.ktx2Loader = ktx2Loader;
		this.images = new Map();
		this.textures = new Map();

	}

	/** The modes for which the lightmap has files, best first. */
	get modes() {

		const { sh, direction, color, irradiance } = this.pages[ 0 ];
		const modes = [];
		if ( sh?.files?.length && sh.order === 2 ) modes.push( 'sh2' );
		if ( sh?.files?.length ) modes.push( 'sh1' );
		if ( direction && color ) modes.push( 'directional' );
		if ( irradiance ) modes.push( 'irradiance' );
		return modes;

	}

	/**
	 * The texture of a mode, the factor by which its values are to be multiplied, and how many layers a page has.
	 *
	 * @returns {Promise<{ texture: DataArrayTexture, scale: number, gray: boolean, layers: number }>}
	 */
	texture( mode ) {

		// Both orders are in the same texture.
		const key = mode === 'sh1' ? this.modes[ 0 ] : mode;
		if ( ! this.textures.has( key ) ) {

			const made = this.#make( key );
			this.textures.set( key, made );
			made.catch( () => this.textures.delete( key ) );

		}

		return this.textures.get( key );

	}

	dispose() {

		for ( const made of this.textures.values() ) made.then( ( { texture } ) => texture.dispose(), () => {} );
		this.textures.clear();
		this.images.clear();

	}

	async #make( mode ) {

		const pages = [];
		for ( const page of this.pages ) pages.push( await this.#layers( mode, page ) );
		// The images have served; another mode reads the small ones again.
		this.images.clear();
		const [ { width, height, layers } ] = pages;
		const gray = ! [ 'irradiance', 'directional' ].includes( mode ) && this.pages[ 0 ].sh.layout === 'packed';
		return { ...arrayTexture( width, height, pages.flatMap( ( page ) => page.layers ) ), gray, layers: layers.length };

	}

	/** The layers of a page. */
	async #layers( mode, { irradiance, direction, color, sh } ) {

		const rgb = ( image ) => [ 'R', 'G', 'B' ].map( ( name ) => image.channels[ name ] );
		const [ base, ...others ] = await Promise.all( {
			irradiance: [ irradiance ],
			directional: [ irradiance, direction, color ],
			sh1: [ irradiance, ...( sh?.files ?? [] ) ],
			sh2: [ irradiance, ...( sh?.files ?? [] ) ],
		}[ mode ].map( ( name ) => this.#image( name ) ) );
		const layers = [ { channels: rgb( base ) } ];
		if ( mode === 'directional' ) {

			layers.push( { channels: [ ...rgb( others[ 0 ] ), others[ 0 ].channels.A ], unit: true }, { channels: rgb( others[ 1 ] ) } );

		} else if ( mode !== 'irradiance' ) {

			layers.push( ...harmonics( sh, others ) );

		}

		return { width: base.width, height: base.height, layers };

	}

	#image( name ) {

		if ( ! this.images.has( name ) ) this.images.set( name, this.#read( name ) );
		return this.images.get( name );

	}

	async #read( name ) {

		// KTX2 has no channels of other names than R, G, B and A.
		if ( this.ktx2Loader && this.pages[ 0 ].sh?.layout !== 'channels' ) return this.#readKtx2( name.replace( /\.exr$/, '.ktx2' ) );
		const buffer = await this.load( name );
		try {

			return await readExr( buffer );

		} catch ( error ) {

			if ( ! ( error instanceof UnsupportedExr ) || ! this.exrLoader ) {

				throw new Error( `KilnLightmap: cannot read ${ name }: ${ error.message }`, { cause: error } );

			}

			return upright( this.exrLoader.parse( buffer ) );

		}

	}

	async #readKtx2( name ) {

		const buffer = await this.load( name );
		try {

			const texture = await new Promise( ( resolve, reject ) => this.ktx2Loader.parse( buffer, resolve, reject ) );
			return withChannels( texture.image, ( y ) => y );

		} catch ( error ) {

			throw new Error( `KilnLightmap: cannot read ${ name }: ${ error.message }`, { cause: error } );

		}

	}

}

/** The layers of coefficients: of each colour the first four, of each the next four, the last; or as they are packed. */
function harmonics( { order, layout, files }, images ) {

	if ( layout === 'packed' ) return images.map( ( image ) => ( { channels: rgba( image ) } ) );
	const count = order === 2 ? 9 : 4;
	const image = ( name ) => {

		// Files of pages have the number of the page before the extension.
		const index = files.findIndex( ( file ) => file.split( '/' ).pop().replace( /\.\d+\.exr$/, '.exr' ) === name );
		if ( index < 0 ) throw new Error( `KilnLightmap: the lightmap names no ${ name }` );
		return images[ index ];

	};

	const coefficient = ( index, tone ) => {

		if ( layout === 'coefficients' ) return image( `sh_${ NAMES[ index ] }.exr` ).channels[ 'RGB'[ tone ] ];
		if ( layout === 'channels' ) return image( `sh_${ 'rgb'[ tone ] }.exr` ).channels[ NAMES[ index ] ];
		const part = index < 4 ? '' : `_${ ( index >> 2 ) + 1 }`;
		return image( `sh_${ 'rgb'[ tone ] }${ part }.exr` ).channels[ 'RGBA'[ index & 3 ] ];

	};

	const layers = [];
	for ( let first = 0; first + 4 <= count; first += 4 ) {

		for ( const tone of [ 0, 1, 2 ] ) layers.push( { channels: [ 0, 1, 2, 3 ].map( ( lane ) => coefficient( first + lane, tone ) ) } );

	}

	if ( count === 9 ) layers.push( { channels: [ 0, 1, 2 ].map( ( tone ) => coefficient( 8, tone ) ) } );
	return layers;

}

function rgba( image ) {

	return [ 'R', 'G', 'B', 'A' ].map( ( name ) => image.channels[ name ] );

}

function arrayTexture( width, height, layers ) {

	const size = width * height;
	const data = new Uint16Array( 4 * size * layers.length );
	const scale = scaleOf( layers );
	layers.forEach( ( { channels, unit }, layer ) => {

		for ( let lane = 0; lane < 4; lane ++ ) {

			const values = channels[ lane ];
			let at = 4 * size * layer + lane;
			if ( values === undefined ) {

				for ( let i = 0; i < size; i ++, at += 4 ) data[ at ] = lane === 3 ? ONE : 0;

			} else if ( values instanceof Uint16Array && ( scale === 1 || unit ) ) {

				for ( let i = 0; i < size; i ++, at += 4 ) data[ at ] = values[ i ];

			} else {

				const factor = unit ? 1 : 1 / scale;
				const of = values instanceof Uint16Array ? DataUtils.fromHalfFloat : ( v ) => v;
				for ( let i = 0; i < size; i ++, at += 4 ) data[ at ] = DataUtils.toHalfFloat( of( values[ i ] ) * factor );

			}

		}

	} );
	const texture = new DataArrayTexture( data, width, height, layers.length );
	texture.name = 'kiln-lightmap';
	texture.format = RGBAFormat;
	texture.type = HalfFloatType;
	texture.colorSpace = NoColorSpace;
	texture.minFilter = texture.magFilter = LinearFilter;
	texture.needsUpdate = true;
	return { texture, scale };

}

/** The power of two by which values are divided so that halves hold them; 1 if all are halves. */
function scaleOf( layers ) {

	let greatest = 0;
	for ( const { channels, unit } of layers ) {

		if ( unit ) continue;
		for ( const values of channels ) {

			if ( ! ( values instanceof Float32Array ) ) continue;
			for ( let i = 0; i < values.length; i ++ ) greatest = Math.max( greatest, Math.abs( values[ i ] ) );

		}

	}

	return greatest > 0 ? 2 ** Math.ceil( Math.log2( greatest / GREATEST ) ) : 1;

}

/** An image of three.js's EXRLoader, with row 0 on top. */
function upright( image ) {

	return withChannels( image, ( y ) => image.height - 1 - y );

}

/** An image whose pixels are interleaved, channel by channel; `row` gives the row of the data. */
function withChannels( { data, width, height }, row ) {

	const lanes = data.length / ( width * height );
	const channels = {};
	for ( let lane = 0; lane < lanes; lane ++ ) {

		const values = channels[ 'RGBA'[ lane ] ] = new data.constructor( width * height );
		for ( let y = 0; y < height; y ++ ) {

			for ( let x = 0; x < width; x ++ ) values[ y * width + x ] = data[ ( row( y ) * width + x ) * lanes + lane ];

		}

	}

	return { width, height, channels };

}

/** The irradiance of an 8-bit image in sRGB, for files that have lost their images of floats. */
export function textureOfRange( image, intensity ) {

	const { width, height } = image;
	const canvas = typeof OffscreenCanvas === 'undefined' ? document.createElement( 'canvas' ) : new OffscreenCanvas( width, height );
	canvas.width = width;
	canvas.height = height;
	const context = canvas.getContext( '2d' );
	context.drawImage( image, 0, 0 );
	const bytes = context.getImageData( 0, 0, width, height ).data;
	const linear = Float32Array.from( { length: 256 }, ( _, value ) => {

		const v = value / 255;
		return intensity * ( v <= 0.04045 ? v / 12.92 : ( ( v + 0.055 ) / 1.055 ) ** 2.4 );

	} );
	const channels = [ 0, 1, 2 ].map( ( lane ) => Float32Array.from( { length: width * height }, ( _, i ) => linear[ bytes[ 4 * i + lane ] ] ) );
	return { ...arrayTexture( width, height, [ { channels } ] ), gray: false, layers: 1 };

}
