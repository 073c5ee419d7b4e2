namespace Geo.Embedded;

/// <summary>A grain interface whose grains are identified by a Guid and a text.</summary>
public interface IGrainWithGuidCompoundKey : IGrain;
