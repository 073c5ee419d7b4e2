using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.Options;
using Orleans.Serialization.Configuration;

namespace Geo.Orleans.Tests.Features;

/// <summary>
/// Has "eu" know no call of <see cref="INovelty.WhereToo"/>, as in a cluster that an update has not reached: the name of such a call, as it
/// travels, means nothing there.
/// </summary>
internal sealed class LacksMethod(IOptions<GeoOrleansOptions> geo) : IPostConfigureOptions<TypeManifestOptions>
{
    public void PostConfigure(string? name, TypeManifestOptions options)
    {
        if (geo.Value.ClusterId != "eu")
        {
            return;
        }

        // Added without a type, a name loses the one that it had.
        options.CompoundTypeAliases.Add("inv").Add(typeof(GrainReference)).Add(typeof(INovelty)).Add(INovelty.New);
        options.Serializers.RemoveWhere(IsOfTheMethod);
        options.Copiers.RemoveWhere(IsOfTheMethod);
        options.Activators.RemoveWhere(IsOfTheMethod);
        options.FieldCodecs.RemoveWhere(IsOfTheMethod);
    }

    /// <summary>True for what reads, writes, copies or makes calls of the method.</summary>
    private static bool IsOfTheMethod(Type type) => type.GetInterfaces().SelectMany(contract => contract.GetGenericArguments())
        .SelectMany(call => call.GetCustomAttributesData())
        .Any(attribute => attribute.ToString() is var text && text.Contains(nameof(INovelty), StringComparison.Ordinal)
            && text.Contains($"\"{INovelty.New}\"", StringComparison.Ordinal));
}
