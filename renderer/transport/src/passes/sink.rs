//! Sink of the passes of a sample: radiance of the picture, and radiance and values of each pass.

use glam::Vec3;
use renderer_passes::{Event, EventKind, Lighting, Scattering, State};

use super::event::{scattering, unknown_scattering};
use super::light_groups::{GroupIndex, LightEnd, Rule};
use super::plan::PassPlan;
use super::track::Track;
use crate::bsdf::LobeClass;
use crate::material::ShadingContext;
use crate::radiance::{BranchEvent, Contribution, LightSource, LobeShares, RadianceSink, Reached};
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;
use renderer_scene::Catcher;

/// Light and values of the passes of one sample.
#[derive(Debug)]
pub struct PassSink<'a> {
    pub(super) plan: &'a PassPlan,
    /// Radiance of the picture.
    light: Rgb,
    /// Values, by channel of the film.
    pub(super) values: Vec<f32>,
    /// Identifiers: kind, identifier and weight.
    pub(super) identified: Vec<(usize, u32, f32)>,
    track: Track,
    /// States of branches that are not traced yet.
    branches: Vec<SinkState>,
    sight: Sight,
    /// Catcher at the first vertex that scatters the path; `None` if it is an ordinary surface.
    caught: Option<Catcher>,
    /// Number of null interfaces that the light of the next contribution crosses.
    crossings: u32,
    /// Mean throughput of the camera ray, which coverage does not depend on; 1 if there is no ray.
    camera_throughput: f32,
}

/// State of a path between two vertices.
#[derive(Clone, Debug)]
struct SinkState {
    track: Track,
    sight: Sight,
    caught: Option<Catcher>,
}

/// Which first-hit values are not yet recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// Values of the first surface; the path has crossed null interfaces only.
    First,
    /// Values of the first surface that is not a mirror or smooth glass.
    Mirrored,
    /// Every value is recorded.
    Found,
}

impl<'a> PassSink<'a> {
    /// Sink for the samples of a film with this plan.
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
            camera_throughput: 1.0,
            plan,
        }
    }

    /// Begins a sample whose camera ray has this throughput.
    pub fn begin(&mut self, throughput: Rgb) {
        self.camera_throughput = if throughput.is_black() { 1.0 } else { mean(throughput) };
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

    fn state(&self) -> SinkState {
        SinkState {
            track: self.track.clone(),
            sight: self.sight,
            caught: self.caught,
        }
    }

    fn restore(&mut self, state: SinkState) {
        (self.track, self.sight, self.caught) = (state.track, state.sight, state.caught);
    }

    /// Radiance of the picture.
    pub fn light(&self) -> Rgb {
        self.light
    }

    /// Multiplies the values by the weight of the sample; returns the values by channel, and the identifiers.
    pub fn weighted(&mut self, weight: f32) -> (&[f32], &[(usize, u32, f32)]) {
        if weight != 1.0 {
            self.values.iter_mut().for_each(|v| *v *= weight);
            self.identified.iter_mut().for_each(|(.., v)| *v *= weight);
        }
        (&self.values, &self.identified)
    }

    /// Adds a share of light to the expressions that accept a state.
    fn add_to(&mut self, state: State, share: Rgb, light: [(Rgb, Lighting); 2]) {
        for &expression in self.plan.automaton.found(state) {
            self.add_by_rule(self.plan.rules[usize::from(expression)], share, light);
        }
    }

    /// Adds a share of light to the channels of its group.
    fn add_to_group(&mut self, group: GroupIndex, share: Rgb, light: [(Rgb, Lighting); 2]) {
        let plan = self.plan;
        for &rule in plan.groups.rules(group) {
            self.add_by_rule(rule, share, light);
        }
    }

    fn add_by_rule(&mut self, rule: Rule, share: Rgb, light: [(Rgb, Lighting); 2]) {
        for (light, lighting) in light {
            if rule.lighting == lighting {
                let part = (light * share).to_array();
                accumulate(&mut self.values[rule.channel..rule.channel + 3], part);
            }
        }
    }

    /// Adds radiance to the picture unless the path is at a catcher; returns whether passes may contain it.
    fn adds_to_picture(&mut self, radiance: Rgb) -> bool {
        if self.caught.is_some() {
            return false;
        }
        self.light += radiance;
        !self.is_dead()
    }

    /// Returns whether no pass can contain radiance of the rest of the path.
    fn is_dead(&self) -> bool {
        self.track.is_dead() && self.plan.groups.is_empty()
    }

    fn event(&self, class: LobeClass, it: &Interaction) -> Event {
        scattering(class, |hash| self.plan.closure(hash), self.plan.object(it.shape))
    }

    fn after_lobes(&self, it: &Interaction, shares: &LobeShares) -> Track {
        let events = shares.shares().map(|(class, _, share)| (self.event(class, it), share));
        self.track.after_any(&self.plan.automaton, events)
    }

    /// Adds light that lobes scatter to the expressions that match its paths.
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
                let state = events.iter().fold(state, |state, event| plan.automaton.next(state, event));
                self.add_to(state, of_state * share, light);
            }
        }
    }

    /// Adds light that arrives along paths in these states from its source.
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

    /// Adds light that arrives along paths in these states and ends at `end`.
    fn add_end(&mut self, track: &Track, source: LightSource, end: LightEnd, light: [(Rgb, Lighting); 2]) {
        let plan = self.plan;
        self.add_to_group(end.group, Rgb::WHITE, light);
        let unknown = unknown_scattering(source);
        for &(state, share) in track.states() {
            let state = unknown.map_or(state, |event| plan.automaton.next(state, &event));
            self.add_to(plan.automaton.next(state, &end.event), share, light);
        }
    }

    /// Returns whether light of a source needs the shares of lobes: if scattering changes the states of the path, or
    /// for photons, which have tags.
    fn needs_lobes(&self, source: LightSource) -> bool {
        !self.track.is_settled(&self.plan.automaton) || unknown_scattering(source).is_some()
    }
}

/// Event of scattering or emission by a medium.
const VOLUME: Event = Event::scattering(EventKind::Volume, Scattering::Diffuse);

/// Radiance of a visible contribution.
fn seen(light: Rgb) -> [(Rgb, Lighting); 2] {
    [(light, Lighting::Seen), (Rgb::BLACK, Lighting::Shadow)]
}

/// Adds values to the sums of a pass.
pub(super) fn accumulate<const N: usize>(sums: &mut [f32], values: [f32; N]) {
    sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += v);
}

/// Mean of the channels.
pub(super) fn mean(color: Rgb) -> f32 {
    color.to_array().iter().sum::<f32>() / 3.0
}

impl RadianceSink for PassSink<'_> {
    const WANTS_LOBES: bool = true;

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
            if self.needs_lobes(label.source) {
                shares(&mut lobes);
            }
            self.add_by_lobes(it, &lobes, label, seen(radiance));
        }
    }

    fn wants_unoccluded(&self) -> bool {
        match self.caught {
            // Direct light on the catcher only.
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
        self.add_by_lobes(it, &lobes, label, [(all, Lighting::Unoccluded), (blocked, Lighting::Shadow)]);
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
            self.values[channel] -= mean(throughput) / self.camera_throughput;
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

    fn scatter_in_medium(&mut self, throughput: Rgb, direction: Vec3) {
        if self.sight != Sight::Found {
            self.record_medium(throughput, direction);
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

    fn branch(&mut self, event: BranchEvent) {
        match event {
            BranchEvent::NextLightSample => {}
            BranchEvent::Fork => {
                let vertex = self.state();
                self.branches.push(vertex);
            }
            BranchEvent::EndFork { continues } => {
                if let Some(vertex) = self.branches.pop() {
                    let branch = self.state();
                    self.restore(vertex);
                    if continues {
                        self.branches.push(branch);
                    }
                }
            }
            BranchEvent::NextBranch => {
                if let Some(branch) = self.branches.pop() {
                    self.restore(branch);
                }
            }
        }
    }
}
