//! The sink of a sample's passes: the picture's light, and the light and values of each pass.

use glam::Vec3;
use renderer_passes::{Event, EventKind, Lighting, Scattering, State, ValuePass};

use super::event::{scattering, unknown_scattering};
use super::light_groups::{GroupIndex, LightEnd, Rule};
use super::plan::PassPlan;
use super::track::Track;
use crate::bsdf::LobeClass;
use crate::material::ShadingContext;
use crate::radiance::{Contribution, LightSource, LobeShares, RadianceSink, Reached};
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;
use renderer_scene::Catcher;

/// Light and values of the passes of one sample.
#[derive(Debug)]
pub struct PassSink<'a> {
    plan: &'a PassPlan,
    /// Light of the picture.
    light: Rgb,
    /// By channel of the film.
    values: Vec<f32>,
    /// Kind, identifier and weight.
    identified: Vec<(usize, u32, f32)>,
    track: Track,
    /// States of branches that are not traced yet.
    branches: Vec<Walk>,
    sight: Sight,
    /// What the vertex, or the surface that the path was scattered by first, is to the camera.
    caught: Option<Catcher>,
    /// Surfaces that the light of the next contribution has crossed.
    crossings: u32,
}

/// State of a path between two vertices.
#[derive(Clone, Debug)]
struct Walk {
    track: Track,
    sight: Sight,
    caught: Option<Catcher>,
}

/// What of a path's first surface is still to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// The first surface: the path has only passed straight through others.
    First,
    /// What is seen in mirrors and through glass.
    Mirrored,
    /// Nothing.
    Found,
}

impl<'a> PassSink<'a> {
    /// A sink for the samples of a film with this plan.
    pub fn new(plan: &'a PassPlan) -> PassSink<'a> {
        PassSink {
            light: Rgb::BLACK,
            values: vec![0.0; plan.set().channels()],
            identified: vec![],
            track: Track::new(plan.start),
            branches: vec![],
            sight: Sight::First,
            caught: None,
            crossings: 0,
            plan,
        }
    }

    /// Begins a sample.
    pub fn begin(&mut self) {
        self.light = Rgb::BLACK;
        self.values.fill(0.0);
        if let Some(channel) = self.plan.alpha {
            self.values[channel] = 1.0;
        }
        self.identified.clear();
        self.track = Track::new(self.plan.start);
        self.branches.clear();
        self.sight = Sight::First;
        self.caught = None;
    }

    fn walk(&self) -> Walk {
        Walk {
            track: self.track.clone(),
            sight: self.sight,
            caught: self.caught,
        }
    }

    fn go_on(&mut self, walk: Walk) {
        (self.track, self.sight, self.caught) = (walk.track, walk.sight, walk.caught);
    }

    /// Light of the picture.
    pub fn light(&self) -> Rgb {
        self.light
    }

    /// Multiplies the values by the weight of the sample; returns them by channel, and the weights of identifiers.
    pub fn weighted(&mut self, weight: f32) -> (&[f32], &[(usize, u32, f32)]) {
        if weight != 1.0 {
            self.values.iter_mut().for_each(|v| *v *= weight);
            self.identified.iter_mut().for_each(|(.., v)| *v *= weight);
        }
        (&self.values, &self.identified)
    }

    /// Adds the share of light whose paths end in a state to the expressions that describe these.
    fn add_to(&mut self, state: State, share: Rgb, light: [(Rgb, Lighting); 2]) {
        for &expression in self.plan.automaton.found(state) {
            self.add_by_rule(self.plan.rules[usize::from(expression)], share, light);
        }
    }

    /// Adds a share of light to the layers of its group.
    fn add_to_group(&mut self, group: GroupIndex, share: Rgb, light: [(Rgb, Lighting); 2]) {
        let plan = self.plan;
        for &rule in plan.groups.rules(group) {
            self.add_by_rule(rule, share, light);
        }
    }

    fn add_by_rule(&mut self, rule: Rule, share: Rgb, light: [(Rgb, Lighting); 2]) {
        for (light, lighting) in light {
            if rule.lighting == lighting {
                let sums = &mut self.values[rule.channel..rule.channel + 3];
                let part = (light * share).to_array();
                sums.iter_mut().zip(part).for_each(|(sum, v)| *sum += v);
            }
        }
    }

    /// Adds light to the picture unless a catcher takes it; returns whether layers may show it, too.
    fn adds_to_picture(&mut self, radiance: Rgb) -> bool {
        if self.caught.is_some() {
            return false;
        }
        self.light += radiance;
        !self.is_dead()
    }

    /// Returns whether no layer can show light that the path meets from here on.
    fn is_dead(&self) -> bool {
        self.track.is_dead() && self.plan.groups.is_empty()
    }

    fn event(&self, class: LobeClass, it: &Interaction) -> Event {
        scattering(class, |hash| self.plan.closure(hash), self.plan.object(it.shape))
    }

    fn after_lobes(&self, it: &Interaction, shares: &LobeShares) -> Track {
        let events = shares
            .shares()
            .map(|(class, _, share)| (self.event(class, it), share));
        self.track.after_any(&self.plan.automaton, events)
    }

    /// Adds light that lobes scatter to the expressions that describe its paths.
    fn add_by_lobes(
        &mut self,
        it: &Interaction,
        shares: &LobeShares,
        label: Contribution,
        light: [(Rgb, Lighting); 2],
    ) {
        let plan = self.plan;
        let Some(event) = unknown_scattering(label.source) else {
            let track = match self.track.is_settled(&plan.automaton) {
                true => self.track.clone(),
                false => self.after_lobes(it, shares),
            };
            return self.add_ended(&track, label, light);
        };
        for (class, tag, share) in shares.shares() {
            let (lobe, end) = (self.event(class, it), plan.tagged_light(tag));
            self.add_to_group(end.group, share, light);
            for index in 0..self.track.states().len() {
                let (state, of_state) = self.track.states()[index];
                let events = [lobe, event, end.event];
                let state = events
                    .iter()
                    .fold(state, |state, event| plan.automaton.next(state, event));
                self.add_to(state, of_state * share, light);
            }
        }
    }

    /// Adds light that arrives along paths of these states from its source.
    fn add_ended(&mut self, track: &Track, label: Contribution, light: [(Rgb, Lighting); 2]) {
        let plan = self.plan;
        let crossings = std::mem::take(&mut self.crossings);
        let crossed;
        let track = match crossings {
            0 => track,
            count => {
                let straight = Event::scattering(EventKind::Transmission, Scattering::Straight);
                crossed = (0..count).fold(track.clone(), |track, _| track.after(&plan.automaton, &straight));
                &crossed
            }
        };
        self.add_end(track, label.source, plan.light(label.source), light);
    }

    /// Adds light that arrives along paths of these states, which end at `end`.
    fn add_end(&mut self, track: &Track, source: LightSource, end: LightEnd, light: [(Rgb, Lighting); 2]) {
        let plan = self.plan;
        self.add_to_group(end.group, Rgb::WHITE, light);
        let unknown = unknown_scattering(source);
        for &(state, share) in track.states() {
            let state = unknown.map_or(state, |event| plan.automaton.next(state, &event));
            self.add_to(plan.automaton.next(state, &end.event), share, light);
        }
    }

    /// Returns whether it matters which lobes scatter light of a source: they do where the path's states change, and photons
    /// have tags.
    fn asks_lobes(&self, source: LightSource) -> bool {
        !self.track.is_settled(&self.plan.automaton) || unknown_scattering(source).is_some()
    }

    /// Takes a catcher out of the picture's coverage.
    fn catch(&mut self, catcher: Catcher, reached: Reached<'_>) {
        let covered = mean(reached.throughput * (Rgb::WHITE - reached.surface.transparency));
        if let Some(channel) = self.plan.alpha {
            self.values[channel] -= covered;
        }
        if let Some(channel) = self.plan.shadow.filter(|_| catcher == Catcher::Shadow) {
            self.values[channel] += covered;
        }
    }

    /// Takes what a surface holds out of the picture's coverage.
    fn hold_out(&mut self, reached: Reached<'_>) {
        if let Some(channel) = self.plan.alpha {
            self.values[channel] -= mean(reached.throughput * reached.surface.held_out());
        }
    }

    /// Records the values of the first surface.
    fn record_first(&mut self, reached: Reached<'_>, context: &mut ShadingContext) {
        let Reached {
            it,
            surface,
            throughput,
            ..
        } = reached;
        let seen = throughput * surface.opacity();
        let covered = mean(seen);
        if let Some(channel) = self.plan.weight {
            self.values[channel] += covered;
        }
        // What does not cover anything has no name there.
        if covered != 0.0 {
            for (kind, &identifier) in self.plan.identifiers(it.shape).iter().enumerate() {
                self.identified.push((kind, identifier, covered));
            }
        }
        let plan = self.plan;
        for (shader, channel) in plan.shaders_of(it.shape) {
            let v = shader.value(reached.material, it, reached.ray, reached.footprint, context);
            let sums = &mut self.values[channel..channel + 3];
            sums.iter_mut().zip(v).for_each(|(sum, v)| *sum += v * covered);
        }
        let (eye, forward) = self.plan.eye;
        for &(value, channel) in &self.plan.values {
            let facing = |n: Vec3| if n.dot(it.wo) < 0.0 { -n } else { n };
            let v = match value {
                ValuePass::Depth => Vec3::new((it.p - eye).dot(forward), 0.0, 0.0) * covered,
                ValuePass::Position => self.plan.space.world(it.p) * covered,
                ValuePass::GeometricNormal => facing(it.ng) * covered,
                ValuePass::Uv => it.uv.extend(0.0) * covered,
                ValuePass::FirstAlbedo => {
                    Vec3::from_array((throughput * surface.bsdf.scattering_albedo(it.wo)).to_array())
                }
                ValuePass::Roughness => Vec3::splat(surface.bsdf.roughness() * covered),
                ValuePass::Opacity => Vec3::from_array(seen.to_array()),
                ValuePass::Facing => Vec3::splat(facing(it.n).dot(it.wo) * covered),
                ValuePass::Normal
                | ValuePass::Albedo
                | ValuePass::Alpha
                | ValuePass::ObjectId
                | ValuePass::MaterialId
                | ValuePass::Samples
                | ValuePass::Variance => continue,
            };
            let count = value.channels().len();
            let sums = &mut self.values[channel..channel + count];
            sums.iter_mut().zip(v.to_array()).for_each(|(sum, v)| *sum += v);
        }
    }

    /// Records a medium in place of a surface: it faces the viewer, and reflects what it scatters. Were it black instead,
    /// what is seen through a little of it would have noise in its values.
    fn record_haze(&mut self, throughput: Rgb, along: Vec3) {
        let covered = mean(throughput);
        for &(value, channel) in &self.plan.values {
            let v = match value {
                ValuePass::Normal => -along * covered,
                ValuePass::Albedo => Vec3::from_array(throughput.to_array()),
                _ => continue,
            };
            let sums = &mut self.values[channel..channel + 3];
            sums.iter_mut().zip(v.to_array()).for_each(|(sum, v)| *sum += v);
        }
    }

    /// Records the values of what is seen, in mirrors and through glass too.
    fn record_seen(&mut self, reached: Reached<'_>) {
        let Reached {
            it,
            surface,
            throughput,
            ..
        } = reached;
        let covered = mean(throughput * surface.opacity());
        for &(value, channel) in &self.plan.values {
            let v = match value {
                ValuePass::Normal => {
                    let n = surface.bsdf.shading_normal().unwrap_or(it.n);
                    if n.dot(it.wo) < 0.0 {
                        -n * covered
                    } else {
                        n * covered
                    }
                }
                ValuePass::Albedo => {
                    Vec3::from_array((throughput * surface.bsdf.scattering_albedo(it.wo)).to_array())
                }
                _ => continue,
            };
            let sums = &mut self.values[channel..channel + 3];
            sums.iter_mut().zip(v.to_array()).for_each(|(sum, v)| *sum += v);
        }
    }
}

/// Scattering or emission by a medium.
const VOLUME: Event = Event::scattering(EventKind::Volume, Scattering::Diffuse);

/// Light that is seen.
fn seen(light: Rgb) -> [(Rgb, Lighting); 2] {
    [(light, Lighting::Seen), (Rgb::BLACK, Lighting::Shadow)]
}

/// The mean of the channels.
fn mean(color: Rgb) -> f32 {
    color.to_array().iter().sum::<f32>() / 3.0
}

impl RadianceSink for PassSink<'_> {
    const TELLS_LOBES: bool = true;

    fn add(&mut self, label: Contribution, radiance: Rgb) {
        if self.adds_to_picture(radiance) {
            let track = std::mem::take(&mut self.track);
            self.add_ended(&track, label, seen(radiance));
            self.track = track;
        }
    }

    fn add_scattered(
        &mut self,
        label: Contribution,
        radiance: Rgb,
        it: &Interaction,
        shares: impl FnOnce(&mut LobeShares),
    ) {
        if self.adds_to_picture(radiance) {
            let mut lobes = LobeShares::default();
            if self.asks_lobes(label.source) {
                shares(&mut lobes);
            }
            self.add_by_lobes(it, &lobes, label, seen(radiance));
        }
    }

    fn wants_blocked(&self) -> bool {
        match self.caught {
            // The light on the catcher itself, not what it scatters further.
            Some(catcher) => catcher == Catcher::Shadow && self.sight == Sight::First,
            None => self.plan.has_blocked_light && !self.is_dead(),
        }
    }

    fn add_unoccluded(
        &mut self,
        label: Contribution,
        [all, blocked]: [Rgb; 2],
        it: &Interaction,
        shares: impl FnOnce(&mut LobeShares),
    ) {
        if self.caught.is_some() {
            if let Some(channel) = self.plan.shadow {
                self.values[channel + 1] += mean(all);
                self.values[channel + 2] += mean(blocked);
            }
            return;
        }
        let mut lobes = LobeShares::default();
        shares(&mut lobes);
        self.add_by_lobes(
            it,
            &lobes,
            label,
            [(all, Lighting::Unoccluded), (blocked, Lighting::Shadow)],
        );
    }

    fn wants_crossings(&self) -> bool {
        self.plan.automaton.mentions_straight() && !self.track.is_dead()
    }

    fn cross(&mut self, surfaces: u32) {
        self.crossings = surfaces;
    }

    fn reach(&mut self, reached: Reached<'_>, context: &mut ShadingContext) {
        if self.sight == Sight::First {
            self.caught = self.plan.catcher(reached.it.shape);
            if let Some(catcher) = self.caught {
                return self.catch(catcher, reached);
            }
            self.hold_out(reached);
            self.record_first(reached, context);
        }
        if self.sight != Sight::Found && !reached.surface.bsdf.is_mirror_like() {
            self.record_seen(reached);
        }
    }

    fn escape(&mut self, throughput: Rgb) {
        if let Some(channel) = self.plan.alpha.filter(|_| self.sight == Sight::First) {
            self.values[channel] -= mean(throughput);
        }
    }

    fn scatter(&mut self, it: &Interaction, is_specular: bool, shares: impl FnOnce(&mut LobeShares)) {
        self.sight = match self.sight {
            Sight::First | Sight::Mirrored if is_specular => Sight::Mirrored,
            _ => Sight::Found,
        };
        if !self.track.is_settled(&self.plan.automaton) {
            let mut lobes = LobeShares::default();
            shares(&mut lobes);
            self.track = self.after_lobes(it, &lobes);
        }
    }

    fn add_in_medium(&mut self, label: Contribution, radiance: Rgb) {
        if self.adds_to_picture(radiance) {
            let track = self.track.after(&self.plan.automaton, &VOLUME);
            self.add_ended(&track, label, seen(radiance));
        }
    }

    fn add_tagged_in_medium(&mut self, label: Contribution, tag: u8, radiance: Rgb) {
        if self.adds_to_picture(radiance) {
            let plan = self.plan;
            let track = self.track.after(&plan.automaton, &VOLUME);
            self.add_end(&track, label.source, plan.tagged_light(tag), seen(radiance));
        }
    }

    fn scatter_in_medium(&mut self, throughput: Rgb, along: Vec3) {
        if self.sight != Sight::Found {
            self.record_haze(throughput, along);
        }
        self.sight = Sight::Found;
        if !self.track.is_dead() {
            self.track = self.track.after(&self.plan.automaton, &VOLUME);
        }
    }

    fn pass_straight(&mut self, it: &Interaction) {
        if self.sight == Sight::First {
            self.caught = None;
        }
        if !self.track.is_dead() {
            let event = Event {
                object: self.plan.object(it.shape),
                ..Event::scattering(EventKind::Transmission, Scattering::Straight)
            };
            self.track = self.track.after(&self.plan.automaton, &event);
        }
    }

    fn fork(&mut self) {
        let walk = self.walk();
        self.branches.push(walk);
    }

    fn end_fork(&mut self, continues: bool) {
        if let Some(vertex) = self.branches.pop() {
            let branch = self.walk();
            self.go_on(vertex);
            if continues {
                self.branches.push(branch);
            }
        }
    }

    fn next_branch(&mut self) {
        if let Some(branch) = self.branches.pop() {
            self.go_on(branch);
        }
    }
}
