using Geo.Consistency;

namespace Geo.Orleans;

[RegisterConverter]
internal sealed class VersionedConverter<T> : IConverter<Versioned<T>, VersionedSurrogate<T>>
{
    public Versioned<T> ConvertFromSurrogate(in VersionedSurrogate<T> surrogate) =>
        new(surrogate.Value, surrogate.Version, surrogate.Age, new(surrogate.Cluster), surrogate.Session);

    public VersionedSurrogate<T> ConvertToSurrogate(in Versioned<T> value) => new()
    {
        Value = value.Value,
        Version = value.Version,
        Age = value.Age,
        Cluster = value.Cluster.Name,
        Session = value.Session,
    };
}
