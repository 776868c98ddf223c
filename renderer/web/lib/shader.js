/**
 * The shader code of baked light: chunks that are added to the shaders of three.js's materials.
 *
 * Baked irradiance E enters where three.js's own `lightMap` does, so that a diffuse surface shows albedo/π · E, and all
 * features of the material stay as they are. The definitions of a material say where light comes from:
 *
 * - `KILN_SOURCE`: 1 irradiance, 2 irradiance, direction and color, 3 spherical harmonics, 4 a probe;
 * - `KILN_ORDER`: order of the spherical harmonics; `KILN_GRAY`: all coefficients but the constant one are luminance;
 * - `KILN_PAGES`: the map has several pages, each of so many layers as the uniform `kilnLayers` says;
 * - `KILN_BACK`, `KILN_INSTANCES`: backs have rectangles of their own, or no light; each instance has;
 * - `KILN_SHOW`: 0 the material, 1 white clay, 2 light alone, 3 texels.
 */

export const vertexPars = /* glsl */`
#ifdef KILN_UV
	#ifdef KILN_OWN_UV
		attribute vec2 KILN_UV;
	#endif
	#ifdef KILN_INSTANCES
		attribute vec4 kilnInstance;
		attribute vec4 kilnInstanceBack;
	#else
		uniform vec4 kilnRect;
		uniform vec4 kilnRectBack;
	#endif
	varying vec4 vKilnUv;
	#ifdef KILN_PAGES
		#ifdef KILN_INSTANCES
			attribute vec2 kilnInstancePages;
		#else
			uniform vec2 kilnPages;
		#endif
		flat varying vec2 vKilnPages;
	#endif
#endif
`;

export const vertexMain = /* glsl */`
#ifdef KILN_UV
	#ifdef KILN_INSTANCES
		vec4 kilnRect = kilnInstance;
		vec4 kilnRectBack = kilnInstanceBack;
	#endif
	#ifdef KILN_PAGES
		#ifdef KILN_INSTANCES
			vKilnPages = kilnInstancePages;
		#else
			vKilnPages = kilnPages;
		#endif
	#endif
	vKilnUv = vec4( kilnRect.xy + kilnRect.zw * KILN_UV, kilnRectBack.xy + kilnRectBack.zw * KILN_UV );
#endif
`;

export const fragmentPars = /* glsl */`
#ifdef KILN_SOURCE
uniform float kilnIntensity;
uniform float kilnBump;
uniform mat3 kilnFromWorld;
#if KILN_SOURCE == 4
	uniform vec3 kilnProbe[ 9 ];
#else
	uniform highp sampler2DArray kilnMap;
	varying vec4 vKilnUv;
	#ifdef KILN_PAGES
		uniform float kilnLayers;
		flat varying vec2 vKilnPages;
	#endif
#endif

#ifdef KILN_BACK
	bool kilnIsFront() {
		#ifdef FLIP_SIDED
			return ! gl_FrontFacing;
		#else
			return gl_FrontFacing;
		#endif
	}
#endif

// Where this fragment is in the lightmap.
vec2 kilnUv() {
	#if KILN_SOURCE == 4
		return vec2( 0.0 );
	#else
		#ifdef KILN_BACK
			return kilnIsFront() ? vKilnUv.xy : vKilnUv.zw;
		#else
			return vKilnUv.xy;
		#endif
	#endif
}

#if KILN_SOURCE != 4

	// A layer of this fragment's page.
	vec4 kilnLayer( vec2 uv, float layer ) {
		#ifdef KILN_PAGES
			#ifdef KILN_BACK
				layer += kilnLayers * ( kilnIsFront() ? vKilnPages.x : vKilnPages.y );
			#else
				layer += kilnLayers * vKilnPages.x;
			#endif
		#endif
		return texture( kilnMap, vec3( uv, layer ) );
	}

#endif

// A direction of view space in the space of the bake.
vec3 kilnDirection( vec3 direction ) {
	return normalize( kilnFromWorld * inverseTransformDirection( direction, viewMatrix ) );
}

#if KILN_SOURCE >= 3

	struct KilnHarmonics { vec3 c[ 9 ]; };

	#if KILN_SOURCE == 4

		KilnHarmonics kilnHarmonics( vec2 uv ) {
			KilnHarmonics h;
			for ( int i = 0; i < 9; i ++ ) h.c[ i ] = kilnProbe[ i ];
			return h;
		}

	#elif defined( KILN_GRAY )

		KilnHarmonics kilnHarmonics( vec2 uv ) {
			KilnHarmonics h;
			vec3 constant = kilnLayer( uv, 1.0 ).rgb;
			vec3 tint = constant / max( dot( constant, vec3( 0.2126, 0.7152, 0.0722 ) ), 1e-6 );
			vec4 a = kilnLayer( uv, 2.0 );
			h.c[ 0 ] = constant;
			h.c[ 1 ] = tint * a.x; h.c[ 2 ] = tint * a.y; h.c[ 3 ] = tint * a.z;
			#if KILN_ORDER == 2
				vec4 b = kilnLayer( uv, 3.0 );
				h.c[ 4 ] = tint * a.w; h.c[ 5 ] = tint * b.x; h.c[ 6 ] = tint * b.y;
				h.c[ 7 ] = tint * b.z; h.c[ 8 ] = tint * b.w;
			#endif
			return h;
		}

	#else

		KilnHarmonics kilnHarmonics( vec2 uv ) {
			KilnHarmonics h;
			vec4 r = kilnLayer( uv, 1.0 );
			vec4 g = kilnLayer( uv, 2.0 );
			vec4 b = kilnLayer( uv, 3.0 );
			for ( int i = 0; i < 4; i ++ ) h.c[ i ] = vec3( r[ i ], g[ i ], b[ i ] );
			#if KILN_ORDER == 2
				r = kilnLayer( uv, 4.0 );
				g = kilnLayer( uv, 5.0 );
				b = kilnLayer( uv, 6.0 );
				for ( int i = 0; i < 4; i ++ ) h.c[ 4 + i ] = vec3( r[ i ], g[ i ], b[ i ] );
				h.c[ 8 ] = kilnLayer( uv, 7.0 ).rgb;
			#endif
			return h;
		}

	#endif

	// The harmonics about a direction, their bands weighted: ( 1, 1, 1 ) is radiance, ( π, 2π/3, π/4 ) irradiance.
	vec3 kilnEvaluate( const in KilnHarmonics h, vec3 n, vec3 bands ) {
		vec3 sum = bands.x * 0.282095 * h.c[ 0 ];
		sum += bands.y * 0.488603 * ( h.c[ 1 ] * n.y + h.c[ 2 ] * n.z + h.c[ 3 ] * n.x );
		#if KILN_ORDER == 2
			sum += bands.z * ( 1.092548 * ( h.c[ 4 ] * n.x * n.y + h.c[ 5 ] * n.y * n.z + h.c[ 7 ] * n.x * n.z )
				+ 0.315392 * h.c[ 6 ] * ( 3.0 * n.z * n.z - 1.0 ) + 0.546274 * h.c[ 8 ] * ( n.x * n.x - n.y * n.y ) );
		#endif
		return sum;
	}

	// What a lobe about r reflects. Harmonics swing below zero opposite to bright light, by colour: a part of the mean stays.
	vec3 kilnReflected( const in KilnHarmonics h, vec3 r, vec3 lobe ) {
		return max( kilnEvaluate( h, r, lobe ), 0.25 * max( 0.282095 * h.c[ 0 ], 0.0 ) );
	}

	// The same for light of one side of a surface. Harmonics of a half-space have half of its light at the horizon, where
	// glossy floors reflect; with its mirror image below, light goes on there. Harmonics of the mirror image in the
	// direction r are those of the light itself in the mirrored direction.
	vec3 kilnReflectedAbove( const in KilnHarmonics h, vec3 n, vec3 r, vec3 lobe ) {
		vec3 both = kilnEvaluate( h, r, lobe ) + kilnEvaluate( h, reflect( r, n ), lobe );
		return max( both, 0.5 * max( 0.282095 * h.c[ 0 ], 0.0 ) );
	}

	const vec3 kilnCosine = vec3( 3.141593, 2.094395, 0.785398 );

#endif

// Nearly all light from one direction, such as the sun or a small light nearby.
struct KilnSun { vec3 direction; vec3 irradiance; };

#if KILN_SOURCE >= 3

	// Takes it out of harmonics: that of the nearest directional light (Sloan 2008), as far as it is most of the light.
	KilnSun kilnTakeSun( inout KilnHarmonics h ) {
		const vec3 luminance = vec3( 0.2126, 0.7152, 0.0722 );
		vec3 linear = vec3( dot( h.c[ 3 ], luminance ), dot( h.c[ 1 ], luminance ), dot( h.c[ 2 ], luminance ) );
		float size = length( linear );
		vec3 d = linear / max( size, 1e-6 );
		float share = size / max( 1.732051 * dot( h.c[ 0 ], luminance ), 1e-6 );
		// The sum of the squares of the basis: ( l + 1 )² / 4π.
		float squares = KILN_ORDER == 2 ? 0.716197 : 0.318310;
		vec3 color = max( kilnEvaluate( h, d, vec3( 1.0 ) ) / squares, 0.0 ) * smoothstep( 0.75, 0.95, share );
		h.c[ 0 ] -= color * 0.282095;
		h.c[ 1 ] -= color * 0.488603 * d.y; h.c[ 2 ] -= color * 0.488603 * d.z; h.c[ 3 ] -= color * 0.488603 * d.x;
		#if KILN_ORDER == 2
			h.c[ 4 ] -= color * 1.092548 * d.x * d.y; h.c[ 5 ] -= color * 1.092548 * d.y * d.z;
			h.c[ 6 ] -= color * 0.315392 * ( 3.0 * d.z * d.z - 1.0 );
			h.c[ 7 ] -= color * 1.092548 * d.x * d.z; h.c[ 8 ] -= color * 0.546274 * ( d.x * d.x - d.y * d.y );
		#endif
		return KilnSun( d, color );
	}

#endif

// Baked irradiance on a surface with the normal n, and what its mirror-like part gets: the radiance that a lobe of that
// roughness about r receives, and light from one direction. flatNormal is the normal at which irradiance was baked.
void kilnLight( vec3 flatNormal, vec3 n, vec3 r, float roughness, out vec3 irradiance, out vec3 radiance, out KilnSun sun ) {

	vec2 uv = kilnUv();
	sun = KilnSun( n, vec3( 0.0 ) );
	// A lobe takes from each band what is left of it after blurring: all for mirrors, that of the cosine for rough ones.
	vec3 lobe = mix( vec3( 1.0 ), vec3( 1.0, 2.0 / 3.0, 0.25 ), sqrt( roughness ) );

	#if KILN_SOURCE == 4

		KilnHarmonics h = kilnHarmonics( uv );
		irradiance = max( kilnEvaluate( h, n, kilnCosine ), 0.0 );
		sun = kilnTakeSun( h );
		radiance = kilnReflected( h, r, lobe );

	#else

		vec3 baked = kilnLayer( uv, 0.0 ).rgb;

		#if KILN_SOURCE == 1

			irradiance = baked;
			radiance = baked * RECIPROCAL_PI;

		#elif KILN_SOURCE == 2

			// A directional light, and the rest from everywhere.
			vec4 dominant = kilnLayer( uv, 1.0 );
			vec3 color = kilnLayer( uv, 2.0 ).rgb;
			vec3 d = dominant.xyz / max( length( dominant.xyz ), 1e-4 );
			irradiance = max( baked - color * max( dot( flatNormal, d ), 0.0 ), 0.0 ) + color * max( dot( n, d ), 0.0 );
			sun = KilnSun( d, color * smoothstep( 0.75, 0.95, dominant.a ) );
			vec3 mean = max( baked - sun.irradiance * max( dot( flatNormal, d ), 0.0 ), 0.0 ) * RECIPROCAL_PI / ( 1.0 + 2.0 * dominant.a * max( dot( flatNormal, d ), 0.0 ) );
			radiance = max( mean * ( 1.0 + 3.0 * dominant.a * lobe.y * dot( r, d ) ), 0.0 );

		#else

			// Exact irradiance at the baked normal; the harmonics tell how it changes away from it.
			KilnHarmonics h = kilnHarmonics( uv );
			vec3 change = kilnEvaluate( h, n, kilnCosine ) - kilnEvaluate( h, flatNormal, kilnCosine );
			irradiance = max( baked + change, 0.0 );
			sun = kilnTakeSun( h );
			radiance = kilnReflectedAbove( h, flatNormal, r, lobe );

		#endif

	#endif

	#if defined( KILN_INSTANCES ) || defined( KILN_BACK )
		// An instance or a back that was not baked.
		if ( uv.x < - 0.5 ) irradiance = radiance = sun.irradiance = vec3( 0.0 );
	#endif

	irradiance *= kilnIntensity;
	radiance *= kilnIntensity;
	sun.irradiance *= kilnIntensity;

}
#endif
`;

/** Before lights: views of the lightmap itself. */
export const fragmentShow = /* glsl */`
#if defined( KILN_SHOW ) && KILN_SHOW > 0
	diffuseColor.rgb = vec3( KILN_SHOW == 2 ? 1.0 : 0.8 );
	totalEmissiveRadiance = vec3( 0.0 );
	#ifdef STANDARD
		metalnessFactor = 0.0;
		roughnessFactor = 1.0;
	#endif
	#if KILN_SHOW == 3 && defined( KILN_SOURCE )
		vec2 kilnTexel = vKilnUv.xy * vec2( textureSize( kilnMap, 0 ).xy );
		#ifdef KILN_BACK
			kilnTexel = kilnUv() * vec2( textureSize( kilnMap, 0 ).xy );
		#endif
		float kilnFine = mod( floor( kilnTexel.x ) + floor( kilnTexel.y ), 2.0 );
		vec2 kilnCell = floor( kilnTexel / 16.0 );
		// Cells of 16 texels have colours of their own, so that neighbours in space from far places of the texture show.
		vec3 kilnTint = 0.5 + 0.5 * cos( 6.2832 * ( fract( 0.618 * kilnCell.x + 0.755 * kilnCell.y ) + vec3( 0.0, 0.33, 0.67 ) ) );
		float kilnBlur = saturate( 1.6 - 1.6 * length( fwidth( kilnTexel ) ) );
		diffuseColor.rgb = mix( vec3( 0.75 ), kilnTint, 0.45 ) * mix( 0.86, mix( 0.72, 1.0, kilnFine ), kilnBlur );
	#endif
#endif
`;

/** After three.js's own light from maps: adds baked light, in the place of the environment's where it has that. */
export const fragmentMaps = /* glsl */`
#if defined( KILN_SOURCE ) && defined( RE_IndirectDiffuse )
{
	vec3 kilnFlat = kilnDirection( nonPerturbedNormal );
	vec3 kilnNormal = normalize( mix( kilnFlat, kilnDirection( geometryNormal ), kilnBump ) );
	#ifdef STANDARD
		float kilnRoughness = material.roughness;
	#else
		float kilnRoughness = 1.0;
	#endif
	vec3 kilnMirrored = reflect( - kilnDirection( geometryViewDir ), kilnNormal );
	vec3 kilnIrradiance;
	vec3 kilnRadiance;
	KilnSun kilnSun;
	kilnLight( kilnFlat, kilnNormal, kilnMirrored, kilnRoughness, kilnIrradiance, kilnRadiance, kilnSun );
	#if defined( KILN_ALL_LIGHT ) && defined( USE_ENVMAP )
		iblIrradiance = vec3( 0.0 );
	#endif
	#if defined( RE_IndirectSpecular ) && defined( KILN_SPECULAR ) && ! defined( USE_ENVMAP ) && ! ( defined( KILN_SHOW ) && KILN_SHOW > 0 )
		// With its mirror-like part, so that the two together keep energy.
		iblIrradiance += kilnIrradiance;
		radiance += kilnRadiance;
		vec3 kilnToward = normalize( ( viewMatrix * vec4( transpose( kilnFromWorld ) * kilnSun.direction, 0.0 ) ).xyz );
		PhysicalMaterial kilnGloss = material;
		// The sun behind a window or a small light: never quite a point.
		kilnGloss.roughness = max( material.roughness, 0.2 );
		reflectedLight.directSpecular += saturate( dot( geometryNormal, kilnToward ) ) * kilnSun.irradiance
			* BRDF_GGX( kilnToward, geometryViewDir, geometryNormal, kilnGloss );
		#ifdef USE_CLEARCOAT
			vec3 kilnCoat = reflect( - kilnDirection( geometryViewDir ), kilnDirection( geometryClearcoatNormal ) );
			vec3 kilnUnused;
			kilnLight( kilnFlat, kilnNormal, kilnCoat, material.clearcoatRoughness, kilnUnused, kilnRadiance, kilnSun );
			clearcoatRadiance += kilnRadiance;
		#endif
	#else
		irradiance += kilnIrradiance;
	#endif
}
#endif
`;

/** In place of the material's occlusion: baked light has its own, so that a map of it would darken twice. */
export const fragmentOcclusion = /* glsl */`
#ifndef KILN_SKIP_OCCLUSION
	#include <aomap_fragment>
#endif
`;
