"""Words for parts of the body in other languages than English, without accents.

Words that mean something else in English names (French *main*) are left out: structure decides.
Japanese words are in `joint_name_words`, as those of MMD.
"""

from __future__ import annotations

from writhe.recognition.roles import RigKind

# role without its side to words: German, Spanish, French, Italian, Portuguese, Russian, Chinese,
# Korean
FOREIGN_ROLE_WORDS: dict[str, str] = {
    "hips": "becken hufte huefte caderas pelvico hanches bacino bacia quadril таз 骨盆 盆骨 골반",
    "trunk": (
        "wirbelsaule wirbelsaeule rumpf brust brustkorb bauch columna espina pecho colonne poitrine"
        " torse dos colonna spina torace petto busto coluna peito tronco позвоночник грудь спина"
        " 脊椎 腰椎 胸 胸部 腹部 척추 허리 가슴"
    ),
    "neck": "hals nacken cuello cou collo pescoco шея 脖子 颈 颈部 목",
    "head": "kopf cabeza tete testa cabeca голова 头 头部 머리",
    "clavicle": "schlusselbein schluesselbein clavicula clavicule clavicola ключица 锁骨 쇄골",
    "shoulder": "oberarm brazo bras braccio braco плечо 上臂 大臂 위팔 상완",
    "elbow": (
        "unterarm ellbogen ellenbogen antebrazo codo avantbras coude avambraccio gomito antebraco"
        " cotovelo предплечье локоть 前臂 小臂 肘 아래팔 전완 팔꿈치"
    ),
    "wrist": "handgelenk mano muneca poignet polso mao pulso кисть запястье 手 手腕 手掌 손 손목",
    "hip": "oberschenkel muslo cuisse coscia coxa бедро 大腿 허벅지",
    "knee": (
        "unterschenkel knie schienbein pantorrilla rodilla mollet genou polpaccio ginocchio"
        " panturrilha joelho canela голень колено 小腿 膝盖 膝 종아리 무릎"
    ),
    "ankle": (
        "fuss knochel sprunggelenk pie tobillo pied cheville piede caviglia pe tornozelo"
        " стопа ступня 脚 脚踝 발 발목"
    ),
    "toe": "zehe zehen fussballen orteil orteils носок 脚趾 脚尖 발가락",
}
# words for a shoulder, which may be the clavicle or the upper arm, and for a leg or its shank
FOREIGN_SHOULDERS = "schulter hombro epaule spalla ombro 肩膀 어깨"
FOREIGN_LEGS = "bein pierna jambe gamba perna нога 腿 다리"

FOREIGN_KIND_WORDS: dict[RigKind, str] = {
    RigKind.HAIR: "haar haare zopf pelo cabello cheveux capelli cabelo волосы 头发 머리카락",
    RigKind.CLOTH: "rock kleid umhang falda jupe gonna saia юбка плащ 裙 裙子 치마",
    RigKind.FACE: "auge kiefer ojo mandibula oeil machoire occhio olho глаз челюсть 眼 眼睛 눈 턱",
    RigKind.ATTACHMENT: "waffe schwert schild espada epee spada оружие меч 武器 剑 무기",
    RigKind.END: "ende 末端 끝",
}
FOREIGN_FINGER_WORDS: dict[str, str] = {
    "thumb": "daumen pulgar pouce pollice polegar большой 拇指 엄지",
    "index": "zeigefinger indice indicador указательный 食指 검지",
    "middle": "mittelfinger medio corazon majeur средний 중지",
    "ring": "ringfinger anular annulaire anulare anelar безымянный 无名指 약지",
    "pinky": "kleinerfinger menique auriculaire mignolo mindinho мизинец 소지",
}
FOREIGN_LEFT = (
    "links linke linker linkes izq izquierda izquierdo gauche sx sinistra sinistro esq esquerda"
    " esquerdo левая левый левое лев 왼쪽"
)
FOREIGN_RIGHT = (
    "rechts rechte rechter rechtes der derecha derecho droite droit dx destra destro dir direita"
    " direito правая правый правое прав 오른쪽"
)
