namespace Geo.Embedded;

/// <summary>A grain interface whose grains are identified by a 64-bit number and a text.</summary>
public interface IGrainWithIntegerCompoundKey : IGrain;
