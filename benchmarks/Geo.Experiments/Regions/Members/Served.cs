namespace Geo.Experiments.Regions;

/// <summary>Under which epoch a call ran, and when: timestamps, which the processes of a machine share.</summary>
internal readonly record struct Served(long Epoch, long From, long To)
{
    public long[] ToArray() => [Epoch, From, To];

    public static Served Of(long[] words) => new(words[0], words[1], words[2]);
}
