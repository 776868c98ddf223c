/** Controls of the panel: plain elements of HTML, so that keyboards and screen readers can use them. */

let serial = 0;

export function element( tag, properties = {}, ...children ) {

	const node = document.createElement( tag );
	for ( const [ name, value ] of Object.entries( properties ) ) {

		if ( name in node ) node[ name ] = value;
		else node.setAttribute( name, value );

	}

	node.append( ...children );
	return node;

}

/** A part of the panel with a heading. */
export function section( title, ...children ) {

	return element( 'section', {}, element( 'h2', { textContent: title } ), ...children );

}

/** A choice of a few, all in sight. `options` are pairs of value and text. */
export function segments( label, options, value, change ) {

	const name = `kiln-${ serial ++ }`;
	const inputs = new Map();
	const row = element( 'div', { className: 'segments', role: 'radiogroup', 'aria-label': label } );
	for ( const [ option, text, title ] of options ) {

		const input = element( 'input', { type: 'radio', name, value: option, checked: option === value } );
		input.addEventListener( 'change', () => change( option ) );
		inputs.set( option, input );
		row.append( element( 'label', title ? { title } : {}, input, element( 'span', { textContent: text } ) ) );

	}

	const field = element( 'div', { className: 'field' }, element( 'div', { className: 'label', textContent: label } ), row );
	return { field, set: ( option ) => {

		const input = inputs.get( option );
		if ( input ) input.checked = true;

	}, choose: ( option ) => inputs.get( option )?.click(), row };

}

/** A choice of many. */
export function select( label, options, value, change ) {

	const input = element( 'select', { 'aria-label': label }, ...options.map( ( [ option, text ] ) => element( 'option', { value: option, textContent: text } ) ) );
	input.value = value;
	input.addEventListener( 'change', () => change( input.value ) );
	const field = element( 'label', { className: 'field inline' }, element( 'span', { className: 'label', textContent: label } ), input );
	return { field, set: ( option ) => ( input.value = option ), input };

}

/** A number on a scale. */
export function slider( label, { min, max, step, value, unit }, change ) {

	const input = element( 'input', { type: 'range', 'aria-label': label } );
	Object.assign( input, { min, max, step, value } );
	const output = element( 'output' );
	const text = () => {

		output.textContent = unit( Number( input.value ) );
		input.style.setProperty( '--share', `${ 100 * ( input.value - min ) / ( max - min ) }%` );

	};

	input.addEventListener( 'input', () => {

		text();
		change( Number( input.value ) );

	} );
	input.addEventListener( 'dblclick', () => {

		input.value = value;
		input.dispatchEvent( new Event( 'input' ) );

	} );
	text();
	return { field: element( 'label', { className: 'field' }, element( 'span', { className: 'label split' }, element( 'span', { textContent: label } ), output ), input ), input };

}

/** Something that is on or off. */
export function toggle( label, value, change ) {

	const input = element( 'input', { type: 'checkbox', checked: value, role: 'switch' } );
	input.addEventListener( 'change', () => change( input.checked ) );
	return { field: element( 'label', { className: 'field inline toggle' }, element( 'span', { className: 'label', textContent: label } ), input, element( 'i' ) ), input, set: ( on ) => ( input.checked = on ) };

}
