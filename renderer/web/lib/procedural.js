/**
 * Materials whose patterns are computed where they are seen: programs of `kiln shade --emit json --pass gbuffer` in the
 * shaders of three.js's Standard and Physical materials. They replace what textures say; light stays three.js's own.
 */

/** GLSL for the members of `Globals` that a rasteriser knows, in the world of the bake. */
const KNOWN = {
	P: 'vKilnPoint', N: 'kilnN', Ng: 'kilnNg', I: 'kilnI', u: 'vKilnSt.x', v: 'vKilnSt.y', dPdu: 'kilnAlong[ 0 ]', dPdv: 'kilnAlong[ 1 ]',
	dPdx: 'kilnX', dPdy: 'kilnY', dudx: 'kilnS.x', dudy: 'kilnT.x', dvdx: 'kilnS.y', dvdy: 'kilnT.y', dNdx: 'kilnTurn[ 0 ]', dNdy: 'kilnTurn[ 1 ]',
	backfacing: '( gl_FrontFacing ? 0 : 1 )', ray_kind: '1', time: '0.0', dtime: '0.0', dPdtime: 'vec3( 0.0 )',
};
/** Spaces of the bake's world, and of the object. */
const WORLD = [ 'common', 'world' ];
const OBJECT = [ 'object', 'model', 'shader' ];
/** Members for which the mesh needs texture coordinates. */
const BY_UV = /^(u|v|dPdu|dPdv|d[uv]d[xy])$/;
let serial = 0;

/** Whether a program can be run on a geometry. */
export function canCompute( program, material, geometry ) {

	return [ 'MeshStandardMaterial', 'MeshPhysicalMaterial' ].includes( material.type )
		&& membersOf( program.glsl, 'Globals' ).every( ( name ) => valueOf( name ) !== null && ( ! BY_UV.test( name ) || geometry.attributes.uv !== undefined ) );

}

/**
 * A copy of a material that runs a program in place of its textures.
 *
 * @param {MeshStandardMaterial} original
 * @param {{ glsl: string }} program
 * @param {{ kilnBumps: { value: number } }} uniforms whether the program's normals count
 */
export function proceduralMaterial( original, program, uniforms ) {

	const material = original.clone();
	const emits = original.emissiveMap !== null || original.emissive.getHex() !== 0;
	material.map = material.normalMap = material.roughnessMap = material.metalnessMap = material.emissiveMap = null;
	material.vertexColors = false;
	const { pars, main } = codeOf( program.glsl, emits );
	const id = serial ++;
	material.onBeforeCompile = ( shader ) => {

		Object.assign( shader.uniforms, uniforms );
		shader.vertexShader = shader.vertexShader
			.replace( '#include <common>', ( chunk ) => `${ chunk }\nvarying vec3 vKilnPoint;\nvarying vec2 vKilnSt;\n` )
			.replace( '#include <project_vertex>', ( chunk ) => `${ chunk }\nvKilnPoint = ( modelMatrix * vec4( transformed, 1.0 ) ).xyz;\nvKilnSt = vec2( uv.x, 1.0 - uv.y );\n` );
		shader.fragmentShader = shader.fragmentShader
			.replace( 'void main() {', ( start ) => pars + start )
			.replace( '#include <map_fragment>', () => main.color )
			.replace( '#include <metalnessmap_fragment>', ( chunk ) => chunk + main.reflection )
			.replace( '#include <normal_fragment_maps>', ( chunk ) => chunk + main.normal )
			.replace( '#include <lights_physical_fragment>', ( chunk ) => chunk + main.diffuse )
			// Before the chunk: views of the lightmap, which follow it, have the last word.
			.replace( '#include <emissivemap_fragment>', ( chunk ) => main.emission + chunk );

	};

	material.customProgramCacheKey = () => `kiln-procedural ${ id }`;
	return material;

}

/** The materials of a model that have programs; `computed` switches between these and their textures. */
export class ProceduralMaterials {

	/**
	 * @param {GLTF} gltf
	 * @param {KilnLightmap|null} lightmap
	 * @param {Object<string, { glsl: string }>} programs by index of the material in the file
	 */
	constructor( gltf, lightmap, programs ) {

		this.lightmap = lightmap;
		this.entries = [];
		this._computed = false;
		/** What the materials share. */
		this.uniforms = { kilnBumps: { value: 1 } };
		const made = new Map();
		gltf.scene.traverse( ( mesh ) => {

			if ( ! mesh.isMesh || mesh.isInstancedMesh || mesh.isSkinnedMesh || Array.isArray( mesh.material ) ) return;
			const baked = lightmap?.materials.get( mesh.material )?.original ?? mesh.material;
			const program = programs[ gltf.parser.associations.get( baked )?.materials ];
			if ( program === undefined || ! canCompute( program, baked, mesh.geometry ) ) return;
			if ( ! made.has( baked ) ) made.set( baked, proceduralMaterial( baked, program, this.uniforms ) );
			this.entries.push( { mesh, baked, procedural: made.get( baked ) } );

		} );

	}

	/** Number of meshes that it is about. */
	get count() {

		return this.entries.length;

	}

	get computed() {

		return this._computed;

	}

	set computed( on ) {

		this._computed = on;
		for ( const { mesh, baked, procedural } of this.entries ) {

			const material = on ? procedural : baked;
			if ( this.lightmap ) this.lightmap.apply( mesh, material );
			else mesh.material = material;

		}

	}

	/** Whether their own normals count. */
	set normalMaps( on ) {

		this.uniforms.kilnBumps.value = on ? 1 : 0;

	}

}

/** The names of a structure's members in GLSL. */
function membersOf( glsl, structure ) {

	const body = glsl.match( new RegExp( `struct ${ structure } \\{([^}]*)\\}` ) )?.[ 1 ] ?? '';
	return [ ...body.matchAll( /\w+ (\w+);/g ) ].map( ( [ , name ] ) => name );

}

/** GLSL for a member of `Globals`, or null. */
function valueOf( member ) {

	if ( KNOWN[ member ] !== undefined ) return KNOWN[ member ];
	const [ , to, from ] = member.match( /^([a-z]+)_from_([a-z]+)$/ ) ?? [];
	if ( WORLD.includes( to ) && OBJECT.includes( from ) ) return 'modelMatrix';
	if ( OBJECT.includes( to ) && WORLD.includes( from ) ) return 'inverse( modelMatrix )';
	if ( [ WORLD, OBJECT ].some( ( spaces ) => spaces.includes( to ) && spaces.includes( from ) ) ) return 'mat4( 1.0 )';
	return null;

}

/** A program under names of its own, so that it meets none of three.js, and the code that runs it. */
function codeOf( glsl, emits ) {

	const names = new Set( [ ...glsl.matchAll( /^(?:const )?(?!return\b)\w+(?:\[\d+\])? (\w+)(?:\[\d+\])? ?[(={;]/gm ) ].map( ( [ , name ] ) => name ) );
	const own = ( name ) => names.has( name ) ? `kilnOwn_${ name }` : name;
	const text = glsl.replace( /\b[A-Za-z]\w*\b/g, own );
	const fill = membersOf( glsl, 'Globals' ).map( ( name ) => `	kilnGlobals.${ own( name ) } = ${ valueOf( name ) };` ).join( '\n' );
	const of = ( name ) => `kilnSurface.${ own( name ) }`;
	const pars = /* glsl */`
uniform mat4 modelMatrix;
uniform float kilnBumps;
varying vec3 vKilnPoint;
varying vec2 vKilnSt;
${ text }
${ own( 'Surface' ) } kilnEvaluateSurface() {
	// Derivatives of the position along the texture coordinates.
	vec3 kilnX = dFdx( vKilnPoint ), kilnY = dFdy( vKilnPoint );
	vec2 kilnS = dFdx( vKilnSt ), kilnT = dFdy( vKilnSt );
	float kilnArea = kilnS.x * kilnT.y - kilnS.y * kilnT.x;
	kilnArea = abs( kilnArea ) > 1e-20 ? 1.0 / kilnArea : 0.0;
	vec3 kilnAlong[ 2 ] = vec3[ 2 ]( ( kilnX * kilnT.y - kilnY * kilnS.y ) * kilnArea, ( kilnY * kilnS.x - kilnX * kilnT.x ) * kilnArea );
	// Normals are on the side of the viewer.
	vec3 kilnI = isOrthographic ? - vec3( viewMatrix[ 0 ][ 2 ], viewMatrix[ 1 ][ 2 ], viewMatrix[ 2 ][ 2 ] ) : normalize( vKilnPoint - cameraPosition );
	vec3 kilnNg = normalize( cross( kilnX, kilnY ) );
	kilnNg *= dot( kilnNg, kilnI ) > 0.0 ? - 1.0 : 1.0;
	#ifdef FLAT_SHADED
		vec3 kilnN = kilnNg;
	#else
		vec3 kilnN = normalize( ( vec4( vNormal, 0.0 ) * viewMatrix ).xyz ) * ( gl_FrontFacing ? 1.0 : - 1.0 );
	#endif
	mat2x3 kilnTurn = mat2x3( dFdx( kilnN ), dFdy( kilnN ) );
	${ own( 'Globals' ) } kilnGlobals;
${ fill }
	return ${ own( 'surface' ) }( kilnGlobals );
}
`;
	const main = {
		color: /* glsl */`
	${ own( 'Surface' ) } kilnSurface = kilnEvaluateSurface();
	diffuseColor = vec4( ${ of( 'albedo' ) }, ${ of( 'opacity' ) } );
`,
		reflection: /* glsl */`
	roughnessFactor = ${ of( 'roughness' ) };
	metalnessFactor = ${ of( 'metalness' ) };
`,
		normal: /* glsl */`
	normal = normalize( mix( normal, ( viewMatrix * vec4( ${ of( 'normal' ) }, 0.0 ) ).xyz, kilnBumps ) );
`,
		// The program's diffuse colour is that of this view, 0.96 of the albedo; three.js would take once more from it what
		// the interface reflects.
		diffuse: /* glsl */`
	#if ! defined( KILN_SHOW ) || KILN_SHOW == 0
		vec3 kilnSingle = vec3( 0.0 ), kilnMulti = vec3( 0.0 );
		float kilnCosine = saturate( dot( normal, isOrthographic ? vec3( 0.0, 0.0, 1.0 ) : normalize( vViewPosition ) ) );
		computeMultiscattering( texture2D( dfgLUT, vec2( material.roughness, kilnCosine ) ).rg, material.specularColor, material.specularF90, kilnSingle, kilnMulti );
		material.diffuseContribution *= 0.96 / max( 1.0 - kilnSingle - kilnMulti, 0.05 );
	#endif
`,
		emission: emits ? `\n	totalEmissiveRadiance = ${ of( 'emission' ) };\n` : '',
	};
	return { pars, main };

}
