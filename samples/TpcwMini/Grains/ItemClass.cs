namespace TpcwMini.Grains;

/// <summary>Which class serves <see cref="IItem"/>, as the prefix that <see cref="IGrainFactory"/> takes.</summary>
/// <param name="Prefix">The full name of the class.</param>
public sealed record ItemClass(string Prefix);
