namespace Geo.Consistency;

/// <summary>A read replica does not have what a method asks for: the host lets the call go on to the grain's instance.</summary>
internal sealed class ReadReplicaMissException(string message) : GeoException(message);
