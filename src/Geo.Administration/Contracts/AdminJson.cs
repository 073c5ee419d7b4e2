using System.Text.Json;
using System.Text.Json.Serialization;

namespace Geo.Administration;

/// <summary>How the endpoint writes its answers: names in camel case, what is null left out.</summary>
internal static class AdminJson
{
    public static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        RespectNullableAnnotations = true,
    };
}
