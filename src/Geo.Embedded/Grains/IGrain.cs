namespace Geo.Embedded;

/// <summary>The root of grain interfaces. Derive from one of the interfaces that also say which key the grain has.</summary>
public interface IGrain : IAddressable;
