/** Comparison with a path-traced picture of the camera: a line that the user moves, or the two side by side. */

export class Wipe {

	/** @param {Map<string, string>} pictures URLs of pictures by name of their camera */
	constructor( stage, pictures, parent ) {

		this.stage = stage;
		this.pictures = pictures;
		this.mode = 'off';
		this.share = 0.5;
		this.frame = document.createElement( 'div' );
		this.frame.className = 'wipe';
		this.frame.hidden = true;
		this.image = new Image();
		this.image.alt = 'path-traced picture';
		this.handle = document.createElement( 'input' );
		Object.assign( this.handle, { type: 'range', min: 0, max: 1, step: 0.001, value: 0.5, className: 'wipe-handle' } );
		this.handle.setAttribute( 'aria-label', 'Share of the picture that is baked' );
		this.line = document.createElement( 'div' );
		this.line.className = 'wipe-line';
		const label = ( text, side ) => Object.assign( document.createElement( 'span' ), { textContent: text, className: `wipe-label ${ side }` } );
		this.frame.append( this.image, this.line, label( 'baked', 'left' ), label( 'path traced', 'right' ), this.handle );
		parent.append( this.frame );
		this.handle.addEventListener( 'input', () => {

			this.share = Number( this.handle.value );
			this.#layout();

		} );
		stage.addEventListener( 'resize', () => this.#layout() );

	}

	/** Whether the camera has a picture. */
	has( view ) {

		return Boolean( this.pictures.get( view?.name ) );

	}

	/** Looks for the picture of a camera beside the page, `camera_NAME.png`; resolves to whether there is one. */
	async find( view ) {

		if ( ! this.pictures.has( view.name ) ) {

			const url = `camera_${ encodeURIComponent( view.name ) }.png`;
			const image = new Image();
			image.src = url;
			this.pictures.set( view.name, await image.decode().then( () => url, () => null ) );

		}

		return this.has( view );

	}

	/** `off`, `wipe` or `flip` (the picture alone). */
	set( mode, view ) {

		this.mode = this.has( view ) ? mode : 'off';
		this.view = view;
		this.frame.hidden = this.mode === 'off';
		if ( this.mode === 'off' ) return;
		const url = this.pictures.get( view.name );
		if ( this.image.src !== url ) {

			this.image.src = url;
			this.image.onload = () => this.#layout();

		}

		this.#layout();

	}

	#layout() {

		if ( this.mode === 'off' || ! this.image.naturalWidth ) return;
		const [ left, top, width, height ] = this.stage.frame( this.image.naturalWidth / this.image.naturalHeight ).map( ( v ) => `${ 100 * v }%` );
		Object.assign( this.frame.style, { left, top, width, height } );
		const share = this.mode === 'flip' ? 0 : this.share;
		this.image.style.clipPath = `inset(0 0 0 ${ 100 * share }%)`;
		this.line.style.left = `${ 100 * share }%`;
		this.frame.classList.toggle( 'whole', this.mode === 'flip' );

	}

}
