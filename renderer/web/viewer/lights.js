/**
 * Direct light for bakes of indirect light: the lights of the model, and one light for each bright surface.
 *
 * A flat emissive surface becomes a spotlight over the half-space in front of it, whose soft edge is nearly a cosine; any
 * other emissive surface a point light. Both have the far-field intensity of the surface, so their shadows are harder than
 * baked ones.
 */

import { PointLight, SpotLight, Vector3 } from 'three';

/** Maximum number of emissive surfaces that become lights, the strongest first. */
const MAX_SURFACE_LIGHTS = 4;

/** Real-time lights of a model, to which lights of emissive surfaces are added. */
export function lightsOf( model, radius ) {

	const lights = [];
	const surfaces = [];
	model.updateMatrixWorld( true );
	model.traverse( ( node ) => {

		if ( node.isLight && node.visible ) lights.push( node );
		if ( node.isMesh && ! Array.isArray( node.material ) && shines( node.material ) ) surfaces.push( surfaceOf( node ) );

	} );
	surfaces.sort( ( a, b ) => b.power - a.power );
	for ( const surface of surfaces.slice( 0, MAX_SURFACE_LIGHTS ) ) {

		const light = lightOf( surface, radius );
		model.add( light );
		if ( light.target ) model.add( light.target );
		lights.push( light );

	}

	for ( const light of lights ) {

		if ( light.shadow === undefined ) continue;
		light.castShadow = true;
		light.shadow.mapSize.set( 2048, 2048 );
		light.shadow.bias = - 3e-5;
		light.shadow.normalBias = radius * 4e-3;
		if ( light.isDirectionalLight ) Object.assign( light.shadow.camera, { left: - radius, right: radius, top: radius, bottom: - radius, near: - 2 * radius, far: 2 * radius } );
		else Object.assign( light.shadow.camera, { near: radius * 0.02, far: radius * 4 } );

	}

	return lights;

}

function shines( material ) {

	const { emissive, emissiveIntensity } = material;
	return emissive !== undefined && ! material.emissiveMap && emissiveIntensity * Math.max( emissive.r, emissive.g, emissive.b ) > 0;

}

/** Area, mean place and mean normal of a mesh in the world. */
function surfaceOf( mesh ) {

	const { position } = mesh.geometry.attributes;
	const index = mesh.geometry.index;
	const count = index ? index.count : position.count;
	const corners = [ new Vector3(), new Vector3(), new Vector3() ];
	const center = new Vector3();
	const vector = new Vector3();
	let area = 0;
	for ( let i = 0; i < count; i += 3 ) {

		corners.forEach( ( corner, j ) => corner.fromBufferAttribute( position, index ? index.getX( i + j ) : i + j ).applyMatrix4( mesh.matrixWorld ) );
		const [ a, b, c ] = corners;
		const normal = b.clone().sub( a ).cross( c.clone().sub( a ) ).multiplyScalar( 0.5 );
		const part = normal.length();
		area += part;
		vector.add( normal );
		center.addScaledVector( a.clone().add( b ).add( c ), part / 3 );

	}

	if ( mesh.matrixWorld.determinant() < 0 ) vector.negate();
	center.divideScalar( area || 1 );
	const color = mesh.material.emissive.clone().multiplyScalar( mesh.material.emissiveIntensity );
	return { mesh, area, center, vector, color, power: area * ( color.r + color.g + color.b ) };

}

function lightOf( { mesh, area, center, vector, color }, radius ) {

	mesh.castShadow = false;
	mesh.userData.kilnLight = true;
	const flat = vector.length() > 0.9 * area;
	if ( ! flat ) {

		// A convex body of area A shows A/4 to each side.
		const light = new PointLight( color, area / 4 );
		light.position.copy( center );
		return light;

	}

	const normal = vector.clone().normalize();
	const light = new SpotLight( color, area, 0, Math.PI / 2 - 0.01, 1 );
	light.position.copy( center ).addScaledVector( normal, radius * 1e-3 );
	light.target.position.copy( center ).add( normal );
	// A shadow map of the whole half-space would have no texels for what is in front.
	light.shadow.focus = 0.72;
	return light;

}
