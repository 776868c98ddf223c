/** Cameras of a bake: those of the model, and those that `data.js` adds. */

import { Box3, Matrix4, Quaternion, Vector3 } from 'three';

const DEGREES = 180 / Math.PI;

/**
 * All cameras, each with its place in the world, its vertical angle and the shape of its picture.
 *
 * @returns {{ name: string, position: Vector3, quaternion: Quaternion, fov: number, aspect: number|null }[]}
 */
export function camerasOf( gltf, data ) {

	const cameras = [];
	const add = ( name, matrix, fov, aspect ) => {

		const position = new Vector3();
		const quaternion = new Quaternion();
		matrix.decompose( position, quaternion, new Vector3() );
		cameras.push( { name, position, quaternion, fov, aspect } );

	};

	for ( const { name, matrix, yfov, aspect } of data.cameras ?? [] ) add( name, new Matrix4().fromArray( matrix ), yfov * DEGREES, aspect );
	const named = new Set( cameras.map( ( camera ) => camera.name ) );
	gltf.scene.updateMatrixWorld( true );
	gltf.scene.traverse( ( node ) => {

		if ( ! node.isPerspectiveCamera ) return;
		// A node that also has a mesh holds its camera as a child without a name.
		const name = node.userData.name || node.parent?.userData.name || node.name || `camera ${ cameras.length + 1 }`;
		if ( ! named.has( name ) ) add( name, node.matrixWorld, node.fov, node.aspect === 1 ? null : node.aspect );

	} );
	return cameras;

}

/** A camera that sees the whole model. */
export function overview( scene ) {

	const box = new Box3().setFromObject( scene );
	const center = box.getCenter( new Vector3() );
	const radius = Math.max( box.getSize( new Vector3() ).length() / 2, 1e-3 );
	const fov = 40;
	const toward = new Vector3( 0.55, 0.42, 1 ).normalize();
	const position = center.clone().addScaledVector( toward, radius / Math.sin( fov / 2 / DEGREES ) );
	const quaternion = new Quaternion().setFromRotationMatrix( new Matrix4().lookAt( position, center, new Vector3( 0, 1, 0 ) ) );
	return { name: 'Overview', position, quaternion, fov, aspect: null, target: center };

}
