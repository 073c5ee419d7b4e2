namespace Geo.Embedded;

/// <summary>Something that can be called by its identity: a grain, or a reference to one.</summary>
public interface IAddressable;
