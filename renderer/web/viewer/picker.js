/** What a click on the model tells: the object, its material, the texel, and the light that it holds. */

import { Box3Helper, Box3, DataUtils, Raycaster, Triangle, Vector2, Vector3 } from 'three';

/** Greatest movement of the pointer that is still a click [pixels]. */
const CLICK = 4;

export class Picker {

	constructor( stage, lightmap, show ) {

		this.stage = stage;
		this.lightmap = lightmap;
		this.show = show;
		this.outline = new Box3Helper( new Box3(), 0xff8a4c );
		this.outline.visible = false;
		this.outline.raycast = () => {};
		stage.scene.add( this.outline );
		let down = null;
		stage.canvas.addEventListener( 'pointerdown', ( event ) => ( down = [ event.clientX, event.clientY ] ) );
		stage.canvas.addEventListener( 'pointerup', ( event ) => {

			if ( down && Math.hypot( event.clientX - down[ 0 ], event.clientY - down[ 1 ] ) < CLICK ) this.pick( event.clientX, event.clientY );
			down = null;

		} );

	}

	pick( x, y ) {

		const box = this.stage.canvas.getBoundingClientRect();
		const at = new Vector2( 2 * ( x - box.left ) / box.width - 1, 1 - 2 * ( y - box.top ) / box.height );
		const raycaster = new Raycaster();
		raycaster.setFromCamera( at, this.stage.camera );
		const [ hit ] = raycaster.intersectObject( this.stage.model, true ).filter( ( found ) => found.object.isMesh );
		this.outline.visible = hit !== undefined;
		this.show( hit ? this.#rows( hit, raycaster.ray.direction ) : null );
		if ( hit ) this.outline.box.setFromObject( hit.object );
		this.stage.invalidate();

	}

	clear() {

		this.outline.visible = false;
		this.show( null );
		this.stage.invalidate();

	}

	#rows( hit, direction ) {

		const { object } = hit;
		const material = Array.isArray( object.material ) ? object.material[ hit.face.materialIndex ] : object.material;
		const rows = [
			[ 'Object', object.userData.name || object.name || object.parent?.userData.name || object.parent?.name || '(no name)' ],
			[ 'Material', material.name || material.type ],
			[ 'Triangles', ( ( object.geometry.index ?? object.geometry.attributes.position ).count / 3 ).toLocaleString( 'en' ) ],
			[ 'Point', `${ hit.point.toArray().map( ( v ) => v.toFixed( 2 ) ).join( ', ' ) } m` ],
		];
		const place = object.userData.kilnPlace;
		if ( ! place || ! this.lightmap?.texel ) return [ ...rows, [ 'Baked light', 'none' ] ];
		const uv = interpolated( hit, place.uv );
		const away = hit.face.normal.clone().transformDirection( object.matrixWorld ).dot( direction ) > 0;
		let part = place.instances ? place.instances[ hit.instanceId ] : place;
		if ( ! part ) return [ ...rows, [ 'Baked light', 'none' ] ];
		if ( away && part.back ) part = part.back;
		const [ width, height ] = this.lightmap.texel;
		const x = ( part.offset[ 0 ] + part.scale[ 0 ] * uv.x ) * width;
		const y = ( part.offset[ 1 ] + part.scale[ 1 ] * uv.y ) * height;
		const page = this.lightmap.extras.pages ? ` on page ${ part.page ?? 0 }` : '';
		rows.push( [ 'Texel', `${ Math.floor( x ) }, ${ Math.floor( y ) } of ${ width } × ${ height }${ page }` ] );
		const light = this.#irradiance( Math.floor( x ), Math.floor( y ), part.page ?? 0 );
		if ( light ) rows.push( [ 'Irradiance', `${ light.map( ( v ) => v.toPrecision( 3 ) ).join( ', ' ) } W/m²` ] );
		return rows;

	}

	#irradiance( x, y, page ) {

		const image = this.lightmap.uniforms.kilnMap.value?.image;
		if ( ! image?.data || x < 0 || y < 0 || x >= image.width || y >= image.height ) return null;
		const layer = page * this.lightmap.uniforms.kilnLayers.value;
		const at = 4 * ( ( layer * image.height + y ) * image.width + x );
		const scale = this.lightmap.uniforms.kilnIntensity.value / this.lightmap.intensity;
		return [ 0, 1, 2 ].map( ( lane ) => scale * DataUtils.fromHalfFloat( image.data[ at + lane ] ) );

	}

}

/** A set of texture coordinates at a hit. */
function interpolated( { object, face, point }, name ) {

	const { position, [ name ]: uv } = object.geometry.attributes;
	const local = object.worldToLocal( point.clone() );
	const corner = ( i ) => object.getVertexPosition ? object.getVertexPosition( i, new Vector3() ) : new Vector3().fromBufferAttribute( position, i );
	const [ a, b, c ] = [ face.a, face.b, face.c ].map( corner );
	const weights = Triangle.getBarycoord( local, a, b, c, new Vector3() ) ?? new Vector3( 1, 0, 0 );
	const sum = new Vector2();
	[ face.a, face.b, face.c ].forEach( ( i, corner ) => sum.addScaledVector( new Vector2().fromBufferAttribute( uv, i ), weights.getComponent( corner ) ) );
	return sum;

}
