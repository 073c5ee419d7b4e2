using Geo.Consistency;

namespace Geo.Orleans;

[RegisterConverter]
internal sealed class UpdateOutcomeConverter : IConverter<UpdateOutcome, UpdateOutcomeSurrogate>
{
    public UpdateOutcome ConvertFromSurrogate(in UpdateOutcomeSurrogate surrogate) =>
        new(surrogate.IsRefused, surrogate.IsConfirmed, surrogate.Version, new(surrogate.Cluster), surrogate.Session);

    public UpdateOutcomeSurrogate ConvertToSurrogate(in UpdateOutcome value) => new()
    {
        IsRefused = value.IsRefused,
        IsConfirmed = value.IsConfirmed,
        Version = value.Version,
        Cluster = value.Cluster.Name,
        Session = value.Session,
    };
}
