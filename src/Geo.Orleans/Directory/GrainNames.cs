using System.Text;

namespace Geo.Orleans;

/// <summary>Orleans' names of grains and silos as Geo's protocols know them.</summary>
internal static class GrainNames
{
    public static GrainKey ToKey(GrainId grain) => new(grain.Type.ToString()!, grain.Key.ToString()!);

    public static GrainId ToGrainId(GrainKey key) =>
        new(GrainType.Create(key.Type), new IdSpan(Encoding.UTF8.GetBytes(key.Key)));

    /// <summary>The node's name in directory rows; it holds the silo's generation, so that a restarted silo is another node.</summary>
    public static string ToNode(SiloAddress silo) => silo.ToParsableString();

    public static SiloAddress ToSilo(string node) => SiloAddress.FromParsableString(node);
}
