using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

internal static class FeatureChange
{
    public static HostChange On(HostInterface one, CardFeature feature) => new(
        new FeatureSetting(one.Name, feature.Name), SwitchText.Of(isOn: false), SwitchText.Of(isOn: true));
}
