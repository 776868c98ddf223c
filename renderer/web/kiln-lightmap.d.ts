import type { Box3, Material, Mesh, Object3D, Vector3 } from 'three';
import type { EXRLoader } from 'three/addons/loaders/EXRLoader.js';
import type { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
import type { GLTF, GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';

/** How baked light is shown. */
export type KilnMode = 'off' | 'irradiance' | 'directional' | 'sh1' | 'sh2';
/** The material with its light, or a view of the lightmap itself. */
export type KilnShow = 'material' | 'clay' | 'light' | 'texels';

/** The files of a page of the lightmap. */
export interface KilnPage {
	irradiance?: string;
	direction?: string;
	color?: string;
	sh?: { order: 1 | 2; layout: 'rgba' | 'channels' | 'coefficients' | 'packed'; files: string[] };
	range?: { texture: number; intensity: number } | null;
}

/** `extras.lightmap` of the file: the only page, or `pages`. */
export interface KilnExtras extends KilnPage {
	version: 1 | 2;
	width: number;
	height: number;
	include: 'indirect' | 'direct' | 'both';
	pages?: KilnPage[];
}

export interface KilnLightmapOptions {
	/** The mode that is loaded with the model; `auto`, the default, is the best that there is. */
	mode?: KilnMode | 'auto';
	/** Factor of baked light; 1 by default. */
	intensity?: number;
	/** Whether baked light responds to normal maps; by default it does. */
	normalMaps?: boolean;
	/** Whether glossy surfaces reflect baked light where the scene has no environment; by default they do. */
	specular?: boolean;
	/** Whether occlusion maps of materials darken baked light, too; by default not: it is occluded already. */
	occlusion?: boolean;
	/**
	 * `match`, the default, makes lights of the file fit the bake: they are hidden if their light is baked (`direct`,
	 * `both`), else they get its units (a candela is 1/683 W/sr). `keep` leaves them as they are.
	 */
	lights?: 'match' | 'keep';
	/** Reads EXR files that other programs have compressed by PIZ, DWA, …. */
	exrLoader?: EXRLoader;
	/** Reads the files of `--image-format ktx2` or `ktx2-zstd` in place of EXR. It needs `detectSupport( renderer )`. */
	ktx2Loader?: KTX2Loader;
	/** Gives a file of the lightmap, by its name in the model, in place of fetching it. */
	load?: ( name: string ) => Promise<ArrayBuffer>;
}

/** A plugin of GLTFLoader, and afterwards the lightmap of the model: `gltf.userData.kilnLightmap`. */
export class KilnLightmap implements GLTFLoaderPlugin {
	constructor( parser: GLTFParser, options?: KilnLightmapOptions );
	readonly name: string;
	/** `null` if the model has no lightmap. */
	readonly extras: KilnExtras | null;
	readonly include: KilnExtras[ 'include' ];
	/** The modes that the lightmap has, best first. */
	readonly modes: KilnMode[];
	/** The mode; setting it loads what it needs. */
	mode: KilnMode;
	/** Sets the mode; resolves when it is shown, rejects if a file is missing. */
	setMode( mode: KilnMode | 'auto' ): Promise<void>;
	/** Resolves when the mode that was set last is shown. */
	readonly ready: Promise<void>;
	intensity: number;
	normalMaps: boolean;
	show: KilnShow;
	/** Lit meshes. */
	readonly meshes: Mesh[];
	/** Lit materials. */
	readonly materials: Map<Material, { original: Material }>;
	/** Width and height of the lightmap, once it is there. */
	readonly texel: [ number, number ] | null;
	/** Gives a lit mesh another material; returns the lit copy of it. */
	apply( mesh: Mesh, material: Material ): Material;
	/** Loads the probes of a bake, `probes.json` of the same folder by default. */
	loadProbes( name?: string ): Promise<KilnProbes>;
	afterRoot( gltf: GLTF ): Promise<void>;
	dispose(): void;
}

/** Probes of `kiln bake --target probes`. */
export class KilnProbes {
	constructor( json: object );
	readonly positions: Vector3[];
	readonly valid: boolean[];
	readonly order: 1 | 2;
	readonly bounds: Box3;
	/** Factor of the light of objects. */
	intensity: number;
	/** Nine RGB coefficients of radiance, in the order of `SphericalHarmonics3`. */
	sample( point: Vector3, to?: Vector3[] ): Vector3[];
	/** Lights an object by the probes, wherever it moves. */
	light<T extends Object3D>( object: T, root?: Object3D | null ): T;
}

/** The image uses something of EXR that Kiln does not write. */
export class UnsupportedExr extends Error {}

/** Reads an EXR image; row 0 is on top, halves are in a `Uint16Array`. */
export function readExr( buffer: ArrayBuffer ): Promise<{
	width: number;
	height: number;
	channels: Record<string, Uint16Array | Float32Array>;
}>;
